# page.sed - a screen of `view --plain` as an export has it: without options that would show more.
s/: --all shows them$//
/^ the same merge in other orders: --all$/d

# flashtwin.bash - completion of flashtwin's commands and options for bash.

_flashtwin() {
	local word=$2 previous=$3 command=${COMP_WORDS[1]-}
	local recording='-o --force --append --log --log-at --points --no-record'
	local running='--device --seed --jobs --check --lint-fail --count --steps'
	local words=

	if [ "$COMP_CWORD" -eq 1 ]; then
		words='decode attend launch replay diff view find sql export bench info help --help -h --version'
		COMPREPLY=($(compgen -W "$words" -- "$word"))
		return
	fi
	case $previous in
	--device) words='sim cuda both' ;;
	--log) words='launch partials points' ;;
	--path)
		words='prefill cached incremental incremental-multiwarp batched flash-decoding
			flash-decoding-graph auto'
		;;
	--class) words='oob misaligned uninit race-shared race-block race-grid barrier-divergence
			deadlock mask leak equal-value-race nan-born' ;;
	--causal) words='top-left bottom-right' ;;
	--points) words='score softmax reduce' ;;
	--graph) words='none capture manual' ;;
	--suite) words='seeds view' ;;
	--as) words='svg html json perfetto npz' ;;
	--screen)
		words='summary time launch kv chunks reduce points counters source attention diff
			findings'
		;;
	--sample) words='demo.twin merge.cu shakespeare' ;;
	--model|--out-dir)
		COMPREPLY=($(compgen -d -- "$word"))
		return
		;;
	--q|--k|--v|--out|--logits|--prompt-file)
		COMPREPLY=($(compgen -f -- "$word"))
		return
		;;
	esac
	if [ -z "$words" ]; then
		case $command in
		decode)
			words="--model --prompt --prompt-file -n --slots --out-dir --path --graph --chunk
				--warps --logits --all-orders --json
				$running $recording"
			;;
		attend)
			words="--path --q --k --v --lengths --causal --scale --graph --chunk --warps
				--out --all-orders --json
				$running $recording"
			;;
		launch)
			words="--kernel --grid --block --shared --arg --all-orders -D -I --json
				--device --seed --check --lint-fail --count --steps -o --force --append --log --no-record"
			;;
		replay) words="--run --all-orders -o --force --append --json $running" ;;
		diff) words='--runs --ulp --first --json --plain' ;;
		view)
			words='--plain --at --screen --all --number --distance --scale --ascii
				--no-color --mouse'
			;;
		find) words='--class --lint-fail --json' ;;
		sql) words='--table --plain --csv --json --dump' ;;
		export) words='--as --screen --at --steps -o --force' ;;
		bench) words='--sim --suite --device --runs --json' ;;
		info) words='--device --json --jobs --sample --verify-math' ;;
		help) words='decode attend launch replay diff view find sql export bench info' ;;
		esac
		[ "$command" = help ] || words="$words --help"
	fi
	COMPREPLY=($(compgen -W "$words" -- "$word"))
	case $command in
	launch) COMPREPLY+=($(compgen -f -X '!*.cu' -- "$word")) ;;
	replay|diff|view|find|sql|export|info) COMPREPLY+=($(compgen -f -X '!*.twin' -- "$word")) ;;
	esac
}
complete -o filenames -F _flashtwin flashtwin

/* viewer_term.c - sets up curses and signals, reads keys, restores the terminal; see viewer_term.h.
 *
 * Signals are blocked except while waiting for a key, so that none is lost between a check and the
 * wait. ctrl-Z is handled here: the handler of curses draws, whatever it interrupts, and while
 * curses draws it discards the signal.
 */
#include "config.h"

#include "tui/viewer/viewer_term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"

#define EMPTY_READS 64
/* After an event that is not asked for, curses waits for the next key and holds all signals. */
#define REPORTED (BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON2_PRESSED | BUTTON2_RELEASED \
		  | BUTTON3_PRESSED | BUTTON3_RELEASED | BUTTON4_PRESSED | BUTTON4_RELEASED \
		  | BUTTON5_PRESSED | BUTTON5_RELEASED)

static volatile sig_atomic_t resized, interrupted, stopping, ending;
static SCREEN *screen;
static FILE *null_device;               /* /dev/null of a hidden terminal, else NULL */
static int peeked;                      /* the next key, 0: not read yet */
static struct termios before;
static char leave[256];                 /* written on a crash to restore the screen */
static sigset_t waited_for, blocked_before;

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT,
			       SIGTSTP };
static struct sigaction actions_before[sizeof handled / sizeof handled[0]];

/* --- signals --- */

static void on_signal(int number)
{
	if (number == SIGINT)
		interrupted = 1;
	else if (number == SIGWINCH || number == SIGCONT)
		resized = 1;
	else if (number == SIGTSTP)
		stopping = 1;
	else
		ending = number;
}

/* Does not call curses, which may be in any state. */
static void on_crash(int number)
{
	ssize_t ignored = write(STDOUT_FILENO, leave, strlen(leave));

	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	signal(number, SIG_DFL);
	raise(number);
}

/* A shell without job control ignores ctrl-Z, and so do its children. */
static bool is_ignored(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* To be called before newterm(), which leaves a SIGTSTP alone that has a handler. Blocked first: a
 * process that catches these signals and does not block them waits for a key. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	sigemptyset(&waited_for);
	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
		if (handled[i] != SIGTSTP || !is_ignored(SIGTSTP))
			sigaddset(&waited_for, handled[i]);
	sigprocmask(SIG_BLOCK, &waited_for, &blocked_before);
	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
		if (sigismember(&waited_for, handled[i]) == 1)
			sigaction(handled[i], &action, &actions_before[i]);
	action.sa_handler = on_crash;
	for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
		sigaction(crashes[i], &action, NULL);
}

/* Restores the terminal and stops, as ctrl-Z does; returns when resumed. */
static void stop(void)
{
	struct sigaction handler, by_default = { .sa_handler = SIG_DFL };
	sigset_t one;

	stopping = 0;
	endwin();
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	sigaction(SIGTSTP, &by_default, &handler);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	sigaction(SIGTSTP, &handler, NULL);
	clearok(curscr, TRUE);
	doupdate();
}

/* Whether a blocked signal is pending, which this consumes. */
static bool take_signal(int number)
{
	const struct timespec now = { 0 };
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, number);
	return sigtimedwait(&one, NULL, &now) == number;
}

bool term_interrupted(void)
{
	sigset_t pending;

	if (take_signal(SIGTSTP))
		stop();
	if (take_signal(SIGINT))
		return true;
	sigpending(&pending);
	return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1
		|| sigismember(&pending, SIGQUIT) == 1;
}

/* A second SIGINT, while the viewer ends because of the first or of another signal, changes
 * nothing. */
static void leave_signals(void)
{
	take_signal(SIGINT);
	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
		if (handled[i] != SIGTSTP || !is_ignored(SIGTSTP))
			sigaction(handled[i], &actions_before[i], NULL);
	for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
		signal(crashes[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &blocked_before, NULL);
}

/* --- opening and closing --- */

/* A colour of the usual palette of 256 and the same as red, green, blue. */
struct color {
	int index, rgb;
};

/* From blue over sand to yellow: lighter means more, also in grey, where the lightness is 40, 52,
 * 67, 74, 84 and 98. Both ends can be told from black and from white; neighbours are at least 22
 * apart (CIELAB), to those without green cones 15. */
static const struct color ramp[HEAT_LEVELS] = {
	{ 25, 0x005faf }, { 31, 0x0087af }, { 73, 0x5fafaf }, { 180, 0xd7af87 },
	{ 186, 0xd7d787 }, { 228, 0xffff87 },
};
#define DARK_LEVELS 1                   /* with white text on them */

/* Of medium lightness, so that they can be read on black and on white. */
static const struct color orange = { 166, 0xd75f00 }, blue = { 33, 0x0087ff },
	violet = { 134, 0xaf5fd7 }, black = { 16, 0x000000 }, white = { 231, 0xffffff };

/* A terminal with direct colours counts them in red, green and blue. */
static int color_number(const struct color *c)
{
	return COLORS > 256 ? c->rgb : c->index;
}

static void set_heat(void)
{
	for (int level = 1; level <= HEAT_LEVELS; level++)
		init_extended_pair(STYLE_HEAT + level,
				   color_number(level <= DARK_LEVELS ? &white : &black),
				   color_number(&ramp[level - 1]));
}

/* Orange, blue and violet are distinct even to colour-blind readers. */
static void set_colors(void)
{
	bool many;

	start_color();
	use_default_colors();
	many = COLORS >= 256;
	init_extended_pair(STYLE_WRONG, many ? color_number(&orange) : COLOR_YELLOW, -1);
	init_extended_pair(STYLE_DIFFERS, many ? color_number(&violet) : COLOR_MAGENTA, -1);
	init_extended_pair(STYLE_CHART, many ? color_number(&blue) : COLOR_CYAN, -1);
	if (many)
		set_heat();
}

static bool colored;

static bool has_capability(const char *name)
{
	const char *text = tigetstr(name);

	return text && text != (char *)-1;
}

/* Appends the terminal's sequence for a capability to the text written on a crash. */
static void on_leave(const char *capability)
{
	const char *text = tigetstr(capability);
	size_t used = strlen(leave);

	if (text && text != (char *)-1)
		snprintf(leave + used, sizeof leave - used, "%s", text);
}

static void plan_leave(bool mouse)
{
	*leave = '\0';
	if (mouse && has_capability("kmous"))
		strcpy(leave, "\033[?1000l\033[?1006l");
	on_leave("sgr0");
	on_leave("rmkx");
	on_leave("cnorm");
	on_leave("rmcup");
}

static void set_modes(bool color, bool mouse)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	nodelay(stdscr, TRUE);
	curs_set(0);
	if (mouse) {
		mousemask(REPORTED, NULL);
		mouseinterval(0);
	}
	colored = color && has_colors();
	if (colored)
		set_colors();
}

enum status term_open(bool color, bool mouse)
{
	const char *name = getenv("TERM");
	int found;

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0)
		return fail(STATUS_USAGE, "standard input is not a terminal, so no keys can be"
			    " read: use --plain");
	setlocale(LC_CTYPE, "");
	catch_signals();
	/* Check first: a newterm() that fails leaks memory. */
	if (setupterm(NULL, STDOUT_FILENO, &found) == OK) {
		del_curterm(cur_term);
		screen = newterm(NULL, stdout, stdin);
	}
	if (!screen) {
		leave_signals();
		return name && *name
			? fail(STATUS_USAGE, "TERM=%s: unknown terminal: use --plain", name)
			: fail(STATUS_USAGE, "TERM is not set: use --plain");
	}
	if (!has_capability("cup")) {
		endwin();
		delscreen(screen);
		screen = NULL;
		leave_signals();
		return fail(STATUS_USAGE, "TERM=%s cannot position its cursor: use --plain", name);
	}
	plan_leave(mouse);
	atexit(term_close);
	set_modes(color, mouse);
	return STATUS_OK;
}

enum status term_open_hidden(int height, int width)
{
	null_device = fopen("/dev/null", "r+");
	if (!null_device)
		return fail(STATUS_IO, "/dev/null: %s", strerror(errno));
	screen = newterm("xterm", null_device, null_device);
	if (!screen)
		return fail(STATUS_USAGE, "TERM=xterm: unknown terminal");
	resizeterm(height, width);
	nodelay(stdscr, TRUE);
	return STATUS_OK;
}

void term_type(const wchar_t *keys)
{
	for (size_t i = wcslen(keys); i > 0; i--)
		unget_wch(keys[i - 1]);
}

void term_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	if (null_device) {
		fclose(null_device);
		null_device = NULL;
		return;
	}
	leave_signals();
	if (ending) {                   /* also where a shell made the program ignore it */
		signal(ending, SIG_DFL);
		raise(ending);
	}
}

/* --- keys --- */

static void resize(void)
{
	struct winsize size;

	resized = 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, TRUE);
}

/* Waits for input or a signal, at most until due_ms; false: no more input will ever arrive. */
static bool wait_for_key(int64_t due_ms)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t left = due_ms - clock_ms();
	struct timespec limit = { .tv_sec = left > 0 ? left / 1000 : 0,
				  .tv_nsec = left > 0 ? left % 1000 * 1000000 : 0 };
	sigset_t open = blocked_before;
	int ready;

	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
		sigdelset(&open, handled[i]);
	ready = ppoll(&in, 1, due_ms > 0 ? &limit : NULL, &open);
	if (ready < 0)
		return errno == EINTR;
	return ready == 0 || (in.revents & POLLIN)
		|| !(in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

int term_waiting(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int bytes = 0;

	/* Keys of a hidden terminal are queued in advance and must not stop work. */
	if (null_device)
		return 0;
	if (poll(&in, 1, 0) > 0 && (in.revents & (POLLHUP | POLLERR | POLLNVAL)))
		return INT_MAX;
	return ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 ? bytes + (peeked != 0) : INT_MAX;
}

bool term_pending(void)
{
	sigset_t pending;
	bool some = false;

	if (null_device)
		return false;
	sigpending(&pending);
	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
		some = some || sigismember(&pending, handled[i]) == 1;
	return some || term_waiting() > 0;
}

/* The next key if it is typed already; 0: none, else ERR, at the end of the input as well. */
static int read_key(void)
{
	wint_t key;
	int kind = get_wch(&key);

	if (kind == OK)
		return (int)key;
	return kind == KEY_CODE_YES && key != KEY_RESIZE ? TERM_CODE((int)key)
		: kind == ERR ? ERR : 0;
}

int term_peek(void)
{
	if (!peeked) {
		peeked = read_key();
		if (peeked == ERR)
			peeked = 0;
	}
	return peeked;
}

int term_key(void)
{
	return term_key_until(0);
}

int term_key_until(int64_t due_ms)
{
	int empty = 0;

	for (;;) {
		int key = peeked ? peeked : read_key();

		peeked = 0;
		if (key != 0 && key != ERR)
			return key;
		/* Always readable but never a key: the end of the input. */
		if (key == ERR && ++empty > EMPTY_READS)
			return TERM_LOST;
		/* A signal to end may arrive before or during the wait. */
		if (due_ms > 0 && clock_ms() >= due_ms)
			return TERM_TIMEOUT;
		if (ending || !wait_for_key(due_ms) || ending)
			return TERM_LOST;
		if (stopping) {
			stop();
			continue;               /* SIGCONT is pending */
		}
		if (interrupted) {
			interrupted = 0;
			return TERM_INTERRUPTED;
		}
		if (resized) {
			resize();
			return TERM_RESIZED;
		}
	}
}

enum term_mouse term_mouse(int *y, int *x)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return 0;
	*y = event.y;
	*x = event.x;
	if (event.bstate & BUTTON1_PRESSED)
		return TERM_CLICK;
	return event.bstate & BUTTON4_PRESSED ? TERM_UP
		: event.bstate & BUTTON5_PRESSED ? TERM_DOWN : 0;
}

/* --- looks --- */

bool term_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static int heat_pair(int level)
{
	return level > 0 && term_heat() ? (int)COLOR_PAIR(STYLE_HEAT + level) : 0;
}

int term_attributes(enum view_style style)
{
	static const int plain[STYLE_COUNT] = {
		[STYLE_TITLE] = A_BOLD, [STYLE_HEADING] = A_UNDERLINE, [STYLE_NOTE] = A_DIM,
		[STYLE_FRAME] = A_DIM, [STYLE_STRONG] = A_BOLD,
		/* A finding, a difference, written now: three looks also without colours. What was
		 * written now looks the same on heat. */
		[STYLE_WRONG] = A_BOLD, [STYLE_DIFFERS] = A_BOLD | A_REVERSE,
		[STYLE_NEW] = A_BOLD | A_UNDERLINE,
	};
	bool tinted = colored && (style == STYLE_WRONG || style == STYLE_DIFFERS
				  || style == STYLE_CHART);

	if (style >= STYLE_HEAT_NEW)
		return A_BOLD | A_UNDERLINE | heat_pair(style - STYLE_HEAT_NEW);
	if (style >= STYLE_HEAT)
		return heat_pair(style - STYLE_HEAT);
	return plain[style] | (tinted ? (int)COLOR_PAIR(style) : 0);
}

int term_selected(int attributes)
{
	return (attributes & ~(int)A_DIM) | A_BOLD;
}

int term_selection(void)
{
	return A_BOLD | A_REVERSE;
}

bool term_heat(void)
{
	return colored && COLORS >= 256;
}

wchar_t term_glyph(enum glyphs glyphs, char c)
{
	static const char ascii[] = "#=+.-|:@";
	/* Each mark has a glyph of its own, because several may be in one chart. */
	static const wchar_t utf8[] = L"\u2588\u258c\u253c\u00b7\u2500\u2502\u2592\u2593";
	static const wchar_t shades[] = L"\u2588\u258c\u253c\u2591\u2500\u2502\u2592\u2593";
	const char *found = c ? strchr(ascii, c) : NULL;

	if (!found || glyphs == GLYPHS_ASCII)
		return (unsigned char)c;
	return (glyphs == GLYPHS_UTF8 ? utf8 : shades)[found - ascii];
}

void term_repaint(void)
{
	clearok(curscr, TRUE);
}

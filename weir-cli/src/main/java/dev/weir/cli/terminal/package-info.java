/**
 * The process as its user sees it: standard output and error, JSON lines, log lines, exit codes, explained failures and
 * stop signals. Every command uses this package; it uses no command.
 */
@NullMarked
package dev.weir.cli.terminal;

import org.jspecify.annotations.NullMarked;

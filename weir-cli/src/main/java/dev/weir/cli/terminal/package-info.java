/**
 * The process as its user sees it: standard output and error, JSON lines, log lines, exit codes, failures in words,
 * stop signals. Every command uses it; it knows no command.
 */
@NullMarked
package dev.weir.cli.terminal;

import org.jspecify.annotations.NullMarked;

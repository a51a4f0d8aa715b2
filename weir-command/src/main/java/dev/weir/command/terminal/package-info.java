/**
 * The user's view of a process: standard output and error, JSON lines, log lines, exit codes, explained failures and
 * stop signals. All commands depend on this package, and it depends on none of them.
 */
@NullMarked
package dev.weir.command.terminal;

import org.jspecify.annotations.NullMarked;

/**
 * The drivers' processes: which are built, how one is started and ended, and the conversation with it about one point.
 * Confined to the campaign's thread, but for stopping them.
 */
@NullMarked
package dev.weir.bench.process;

import org.jspecify.annotations.NullMarked;

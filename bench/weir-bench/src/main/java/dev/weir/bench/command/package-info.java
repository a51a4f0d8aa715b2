/**
 * {@code weir bench}: turns command-line arguments into campaigns of {@code dev.weir.bench}, and shows the progress and
 * reports of the campaigns. Runs on the main thread.
 */
@NullMarked
package dev.weir.bench.command;

import org.jspecify.annotations.NullMarked;

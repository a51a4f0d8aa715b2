/**
 * {@code weir bench}: arguments become campaigns of {@code dev.weir.bench}, their progress and their reports. Runs on
 * the main thread.
 */
@NullMarked
package dev.weir.cli.bench;

import org.jspecify.annotations.NullMarked;

/**
 * {@code weir bench}: turns arguments into campaigns of {@code dev.weir.bench}, and shows their progress and their
 * reports. Runs on the main thread.
 */
@NullMarked
package dev.weir.cli.bench;

import org.jspecify.annotations.NullMarked;

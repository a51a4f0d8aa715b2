/**
 * The sources behind the methods of {@link dev.weir.stream.Source}: elements come from user code, or from other
 * threads, and batches go out. One class each; each instance serves one run and is confined to its segment's thread
 * unless it says otherwise.
 */
@NullMarked
package dev.weir.stream.internal.source;

import org.jspecify.annotations.NullMarked;

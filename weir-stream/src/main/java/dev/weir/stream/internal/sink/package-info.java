/**
 * The sinks behind the methods of {@link dev.weir.stream.Sink}: batches come in and a result goes out. One class each;
 * each instance serves one run and is confined to its segment's thread unless it says otherwise.
 */
@NullMarked
package dev.weir.stream.internal.sink;

import org.jspecify.annotations.NullMarked;

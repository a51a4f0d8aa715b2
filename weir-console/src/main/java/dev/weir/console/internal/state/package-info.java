/**
 * The state of a pipeline as JSON, once a second. The reading thread takes snapshots; any thread may read the resulting
 * immutable texts.
 */
@NullMarked
package dev.weir.console.internal.state;

import org.jspecify.annotations.NullMarked;

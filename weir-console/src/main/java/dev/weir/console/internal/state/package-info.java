/**
 * The state of a pipeline as JSON, updated once a second. The reading thread takes snapshots; their texts are immutable
 * and may be read by any thread.
 */
@NullMarked
package dev.weir.console.internal.state;

import org.jspecify.annotations.NullMarked;

/**
 * The state of a pipeline, once a second, as JSON. Snapshots come in on the looking thread; texts that never change go
 * out to any.
 */
@NullMarked
package dev.weir.console.internal.state;

import org.jspecify.annotations.NullMarked;

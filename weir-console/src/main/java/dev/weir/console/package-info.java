/**
 * A web page that shows and controls the pipeline of its process. Snapshots come in once a second; pages, events and
 * answers go out. Nothing here touches records.
 */
@NullMarked
package dev.weir.console;

import org.jspecify.annotations.NullMarked;

/**
 * A web page with which a process shows and controls its pipeline. Snapshots come in once a second; pages, events and
 * answers go out. Nothing here touches records.
 */
@NullMarked
package dev.weir.console;

import org.jspecify.annotations.NullMarked;

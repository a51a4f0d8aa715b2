/**
 * A web page that shows and controls the pipeline of its process. The console reads snapshots once a second, and serves
 * pages, events and responses. It never accesses records.
 */
@NullMarked
package dev.weir.console;

import org.jspecify.annotations.NullMarked;

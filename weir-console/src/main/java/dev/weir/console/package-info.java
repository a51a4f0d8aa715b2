/**
 * A page that a running process serves of its pipeline, and the controls on it. Snapshots come in once a second; pages,
 * events and answers go out. Nothing here touches a record.
 */
@NullMarked
package dev.weir.console;

import org.jspecify.annotations.NullMarked;

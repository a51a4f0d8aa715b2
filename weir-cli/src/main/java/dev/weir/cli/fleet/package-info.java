/**
 * Many pipelines on one page. Members are found through their groups or given by address, and queried every few
 * seconds. The view groups them into pipelines, connects these by their topics, and names the pipeline that limits the
 * fleet. {@link dev.weir.cli.fleet.FleetRun} owns the members and connections, and runs on the command's thread. See
 * ADR 241.
 */
@NullMarked
package dev.weir.cli.fleet;

import org.jspecify.annotations.NullMarked;

/**
 * Many pipelines on one page: members are found through their groups or given by address, queried every few seconds,
 * grouped into pipelines and joined to a graph by their topics; the pipeline that limits the whole is named. See ADR
 * 241. {@link dev.weir.cli.fleet.FleetRun} owns all of it, on the command's thread.
 */
@NullMarked
package dev.weir.cli.fleet;

import org.jspecify.annotations.NullMarked;

/**
 * Many pipelines on one page: members are found through their groups or given by address, asked for their state every
 * few seconds, joined to pipelines and to a graph by their topics, and the pipeline that limits the whole is named. See
 * ADR 241. {@link dev.weir.cli.fleet.FleetRun} owns all of it, on the command's thread.
 */
@NullMarked
package dev.weir.cli.fleet;

import org.jspecify.annotations.NullMarked;

/**
 * The brokers of a campaign, forked for it or there already: its topics, and what brokers tell of themselves. One
 * {@link dev.weir.bench.cluster.BenchCluster} owns them all; confined to the campaign's thread.
 */
@NullMarked
package dev.weir.bench.cluster;

import org.jspecify.annotations.NullMarked;

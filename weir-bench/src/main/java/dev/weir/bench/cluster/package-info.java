/**
 * The forked or existing brokers of a campaign, with its topics and the brokers' figures. One
 * {@link dev.weir.bench.cluster.BenchCluster} owns them all; confined to the campaign's thread.
 */
@NullMarked
package dev.weir.bench.cluster;

import org.jspecify.annotations.NullMarked;

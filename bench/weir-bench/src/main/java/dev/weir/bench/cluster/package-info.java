/**
 * The forked or existing brokers of a campaign, with the campaign's topics and the brokers' figures. One
 * {@link dev.weir.bench.cluster.BenchCluster} owns all of them. Confined to the campaign's thread.
 */
@NullMarked
package dev.weir.bench.cluster;

import org.jspecify.annotations.NullMarked;

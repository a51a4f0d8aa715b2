/**
 * The harness: in comes a workload, out go runs in a results folder. It owns the brokers, the drivers' processes and the
 * order of things; {@link dev.weir.bench.run.CampaignRunner} runs on one thread, from its caller.
 */
@NullMarked
package dev.weir.bench.run;

import org.jspecify.annotations.NullMarked;

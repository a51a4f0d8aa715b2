/**
 * Runs a whole campaign: a workload comes in, a results folder goes out. It verifies each driver, shuffles the runs and
 * describes the machine; {@link dev.weir.bench.campaign.CampaignRunner} runs on one thread, from its caller.
 */
@NullMarked
package dev.weir.bench.campaign;

import org.jspecify.annotations.NullMarked;

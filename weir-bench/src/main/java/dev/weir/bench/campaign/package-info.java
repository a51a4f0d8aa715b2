/**
 * A whole campaign: in comes a workload, out go runs in a results folder. It verifies each driver, draws the order of
 * the runs and writes down the machine; {@link dev.weir.bench.campaign.CampaignRunner} runs on one
 * thread, from its caller.
 */
@NullMarked
package dev.weir.bench.campaign;

import org.jspecify.annotations.NullMarked;

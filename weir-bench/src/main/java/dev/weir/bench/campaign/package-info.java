/**
 * Runs a whole campaign from its workload to its results folder. The package verifies each driver, shuffles the runs
 * and describes the machine. {@link dev.weir.bench.campaign.CampaignRunner} runs on its caller's thread.
 */
@NullMarked
package dev.weir.bench.campaign;

import org.jspecify.annotations.NullMarked;

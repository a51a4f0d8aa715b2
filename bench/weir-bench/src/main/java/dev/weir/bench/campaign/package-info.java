/**
 * Runs a whole campaign. The package verifies each driver, executes the runs in random order, describes the machine,
 * and stores everything in the results folder. {@link dev.weir.bench.campaign.CampaignRunner} runs on its caller's
 * thread.
 */
@NullMarked
package dev.weir.bench.campaign;

import org.jspecify.annotations.NullMarked;

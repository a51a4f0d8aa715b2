package dev.weir.bench.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench run}. */
@Command(
        name = "run",
        sortOptions = false,
        description = {
            "Run every driver of a workload file once: a look, not a comparison.",
            "One run shows nothing about a difference; compare does."
        })
final class BenchRunCommand implements Callable<Integer> {

    @ParentCommand
    private BenchCommand bench;

    @Mixin
    private BenchCampaign campaign;

    @Override
    public Integer call() throws InterruptedException {
        return campaign.run(bench.weir(), 1);
    }
}

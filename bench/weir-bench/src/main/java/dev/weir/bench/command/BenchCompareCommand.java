package dev.weir.bench.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench compare}. */
@Command(
        name = "compare",
        sortOptions = false,
        description = {
            "Run every driver of a workload file, interleaved and each time in a fresh JVM, and print the ratio of each to"
                    + " the baseline with a 95 %% interval.",
            "With several files, one campaign after the other; all shipped files make the whole table.",
            "Ctrl-C keeps the finished runs; --resume does the rest."
        })
final class BenchCompareCommand implements Callable<Integer> {

    @ParentCommand
    private BenchCommand bench;

    @Mixin
    private BenchCampaign campaign;

    @Override
    public Integer call() throws InterruptedException {
        return campaign.run(bench.weir(), null);
    }
}

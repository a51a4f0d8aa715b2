package dev.weir.bench.command;

import dev.weir.bench.workload.WorkloadSchema;
import dev.weir.command.terminal.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench schema}. */
@Command(name = "schema", description = "Print the JSON schema of workload files, for editors.")
final class BenchSchemaCommand implements Callable<Integer> {

    @ParentCommand
    private BenchCommand bench;

    @Override
    public Integer call() {
        bench.weir().out().println(WorkloadSchema.json());
        return ExitCode.DONE;
    }
}

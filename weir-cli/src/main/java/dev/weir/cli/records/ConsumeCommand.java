package dev.weir.cli.records;

import dev.weir.command.client.ClusterClients;
import dev.weir.command.client.ClusterOptions;
import dev.weir.command.client.OptionChecks;
import dev.weir.command.client.RecordReader;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.ExitCode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code weir consume}: prints a topic's records as lines, without a group, up to a given number or a signal. */
@Command(
        name = "consume",
        sortOptions = false,
        description = {
            "Print the records of a topic, one line for each, until Ctrl-C or --max.",
            "Joins no consumer group and commits nothing. Records of a partition are printed in order."
        })
public final class ConsumeCommand implements Callable<Integer> {

    @ParentCommand
    private CommandContext weir;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "Topic to read.")
    private String topic;

    @Option(
            names = "--from",
            paramLabel = "PLACE",
            defaultValue = "beginning",
            converter = StartPoint.Converter.class,
            description = "Begin at the beginning, the end, an OFFSET of each partition, or a TIME:"
                    + " 2026-11-23T08:00:00Z, or 2026-11-23 for its begin in UTC (default: ${DEFAULT-VALUE}).")
    private StartPoint from;

    @Option(names = "--max", paramLabel = "N", description = "End after N records. Default: no end.")
    private @Nullable Long max;

    @Option(
            names = "--partition",
            paramLabel = "P",
            description = "Read this partition only. May be repeated. Default: all that the topic has at the start.")
    private List<Integer> partitions = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text: partition:offset, time, key, value and headers, separated by tabs; or json: an object"
                    + " for each record (default: ${DEFAULT-VALUE}).")
    private RecordFormat format;

    @Override
    public Integer call() throws InterruptedException {
        OptionChecks.requireNotBlank("--topic", topic);
        if (max != null && max < 1) {
            throw CliFailure.badValue("--max", max, "at least 1");
        }
        Set<Integer> wanted = new HashSet<>(partitions);
        ClusterClients clients = cluster.clients();
        Map<String, Object> config = clients.readerConfig();
        clients.warnings().forEach(warning -> weir.terminal().note("weir: " + warning));
        clients.check(List.of(topic));
        try (RecordReader reader = RecordReader.open(
                clients, config, id -> "--partition with --from reads the records after it, or another partition.")) {
            Consumption consumption =
                    new Consumption(reader, topic, cluster.connectTimeout(), weir.out(), weir.terminal()::note);
            weir.shutdown().onStop(consumption::stop);
            consumption.run(wanted, from, max == null ? Long.MAX_VALUE : max, format);
        }
        return ExitCode.DONE;
    }
}

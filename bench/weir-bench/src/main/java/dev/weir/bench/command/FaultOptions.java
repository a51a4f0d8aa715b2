package dev.weir.bench.command;

import dev.weir.bench.live.Fault;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code weir bench modify} that disturb a run. Confined to the main thread. */
final class FaultOptions {

    @Option(names = "--join", paramLabel = "N", description = "Let N processes join the group.")
    private @Nullable String join;

    @Option(names = "--leave", paramLabel = "N", description = "Let the last N processes commit and leave.")
    private @Nullable String leave;

    @Option(names = "--rebalance", description = "Let another process join and leave again.")
    private boolean rebalance;

    @Option(names = "--kill", paramLabel = "N", description = "Kill the last N processes by SIGKILL, for good.")
    private @Nullable String kill;

    @Option(
            names = "--freeze",
            paramLabel = "'N for TIME'",
            description = "Stop the first N processes by SIGSTOP, and continue them after TIME.")
    private @Nullable String freeze;

    @Option(
            names = "--cut",
            paramLabel = "'N for TIME'",
            description = "Reset all connections of the first N processes, new ones too; needs method.proxy: true.")
    private @Nullable String cut;

    @Option(
            names = "--silence",
            paramLabel = "'N for TIME'",
            description = "Let connections of the first N processes carry nothing; needs method.proxy: true.")
    private @Nullable String silence;

    @Option(
            names = "--delay",
            paramLabel = "'TIME for TIME'",
            description = "Delay each message by the first TIME, for the second TIME; needs method.proxy: true.")
    private @Nullable String delay;

    @Option(
            names = "--lose-broker",
            paramLabel = "'ID for TIME'",
            description = "Kill the broker with ID by SIGKILL, and restart it after TIME.")
    private @Nullable String loseBroker;

    @Option(
            names = "--fill-disk",
            paramLabel = "'ID for TIME'",
            description = "Fill the disk of the broker with ID for TIME, which ends it; needs method.diskFaults: true.")
    private @Nullable String fillDisk;

    @Option(
            names = "--slow-disk",
            paramLabel = "'ID by TIME for TIME'",
            description = "Delay each write of the broker with ID by the first TIME; needs method.diskFaults: true.")
    private @Nullable String slowDisk;

    @Option(
            names = "--backlog",
            paramLabel = "TIME",
            description = "Send the records due in TIME within one second, in addition to that second's own.")
    private @Nullable String backlog;

    /** Returns the requested faults by label, as fields of a timeline entry. */
    Map<String, String> said() {
        Map<String, String> said = new LinkedHashMap<>();
        for (Fault.Kind kind : Fault.Kind.values()) {
            String value = value(kind);
            if (value != null) {
                said.put(kind.label(), value);
            }
        }
        return said;
    }

    private @Nullable String value(Fault.Kind kind) {
        return switch (kind) {
            case JOIN -> join;
            case LEAVE -> leave;
            case REBALANCE -> rebalance ? "true" : null;
            case KILL -> kill;
            case FREEZE -> freeze;
            case CUT -> cut;
            case SILENCE -> silence;
            case DELAY -> delay;
            case LOSE_BROKER -> loseBroker;
            case FILL_DISK -> fillDisk;
            case SLOW_DISK -> slowDisk;
            case BACKLOG -> backlog;
        };
    }
}

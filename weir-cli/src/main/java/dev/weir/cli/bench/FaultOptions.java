package dev.weir.cli.bench;

import dev.weir.bench.live.Fault;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code weir bench modify} that disturb a run. Confined to the main thread. */
final class FaultOptions {

    @Option(names = "--join", paramLabel = "N", description = "So many processes join the group.")
    private @Nullable String join;

    @Option(names = "--leave", paramLabel = "N", description = "So many processes leave it, and commit before.")
    private @Nullable String leave;

    @Option(names = "--rebalance", description = "A further process joins and leaves again.")
    private boolean rebalance;

    @Option(
            names = "--kill",
            paramLabel = "N",
            description = "So many processes end by SIGKILL; nobody takes their place.")
    private @Nullable String kill;

    @Option(names = "--freeze", paramLabel = "'N for TIME'", description = "So many processes stand still for so long.")
    private @Nullable String freeze;

    @Option(
            names = "--cut",
            paramLabel = "'N for TIME'",
            description = "Connections of so many processes are reset, new ones too; needs method.proxy: true.")
    private @Nullable String cut;

    @Option(
            names = "--silence",
            paramLabel = "'N for TIME'",
            description = "Connections of so many processes pass nothing on; needs method.proxy: true.")
    private @Nullable String silence;

    @Option(
            names = "--delay",
            paramLabel = "'TIME for TIME'",
            description = "Each message comes so much later, for so long; needs method.proxy: true.")
    private @Nullable String delay;

    @Option(
            names = "--lose-broker",
            paramLabel = "'ID for TIME'",
            description = "That broker ends by SIGKILL and is started again so much later.")
    private @Nullable String loseBroker;

    @Option(
            names = "--fill-disk",
            paramLabel = "'ID for TIME'",
            description = "That broker's disk is full for so long, of which it ends; needs method.diskFaults: true.")
    private @Nullable String fillDisk;

    @Option(
            names = "--slow-disk",
            paramLabel = "'ID by TIME for TIME'",
            description = "Each write of that broker takes so much longer; needs method.diskFaults: true.")
    private @Nullable String slowDisk;

    @Option(
            names = "--backlog",
            paramLabel = "TIME",
            description = "What is due in so long is due within one second, on top of that one's.")
    private @Nullable String backlog;

    /** Returns the request in the form of a timeline entry. */
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

package dev.weir.bench.measurement;

import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A process of a {@link LiveGroup}, with its number of consumers. Confined to the group's thread. */
final class LivePart {
    final DriverProcess process;
    final DriverSession session;
    final TrialMembers.Member member;
    final @Nullable MemberNetwork network; // null if network faults are impossible
    String noted = ""; // file on its machine in which the process notes received record numbers; empty for none
    int consumers;

    LivePart(
            DriverProcess process,
            DriverSession session,
            TrialMembers.Member member,
            @Nullable MemberNetwork network,
            int consumers) {
        this.process = process;
        this.session = session;
        this.member = member;
        this.network = network;
        this.consumers = consumers;
    }

    static String names(List<LivePart> some) {
        return (some.size() == 1 ? "process " : "processes ")
                + some.stream().map(part -> Long.toString(part.process.pid())).collect(Collectors.joining(", "));
    }
}

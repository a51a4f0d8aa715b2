package dev.weir.cli.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.cli.group.GroupReader;
import dev.weir.cli.group.GroupSnapshot;
import dev.weir.cli.group.GroupSnapshot.GroupMember;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.client.ClusterOptions;
import dev.weir.command.terminal.CliFailure;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the members of a fleet and queries them at each request. Confined to one thread. */
public final class FleetRun implements AutoCloseable {

    public static final int MOST_MEMBERS = 1_000;

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final List<String> groups;
    private final List<URI> addresses;
    private final Groups brokers;
    private final MemberPoll poll;
    private final Runnable onClose;

    /** Provides groups. */
    @FunctionalInterface
    interface Groups {
        GroupSnapshot read(String group) throws InterruptedException;
    }

    /** Creates a fleet. The members of {@code groups} are read from {@code brokers}. */
    FleetRun(List<String> groups, List<URI> addresses, Groups brokers, MemberPoll poll, Runnable onClose) {
        this.groups = List.copyOf(groups);
        this.addresses = List.copyOf(addresses);
        this.brokers = brokers;
        this.poll = poll;
        this.onClose = onClose;
    }

    /**
     * Opens a fleet.
     *
     * @param groups the groups whose members are found through the brokers
     * @param addresses console addresses of further members
     * @param cluster null if there are no groups
     * @param token the token that the consoles require; null for none
     */
    public static FleetRun open(
            List<String> groups, List<URI> addresses, @Nullable ClusterOptions cluster, @Nullable String token)
            throws InterruptedException {
        MemberPoll poll = new MemberPoll(PATIENCE, token);
        if (cluster == null) {
            return new FleetRun(groups, addresses, group -> noBrokers(), poll, () -> {});
        }
        try {
            ClusterClients clients = cluster.clients();
            GroupReader reader = GroupReader.open(clients, cluster.connectTimeout());
            return new FleetRun(groups, addresses, reader::read, poll, reader::close);
        } catch (RuntimeException | InterruptedException e) {
            poll.close();
            throw e;
        }
    }

    private static GroupSnapshot noBrokers() {
        throw CliFailure.usage("--group goes with --bootstrap-server", "");
    }

    /** Returns the current fleet, with failed lookups and groups that do not exist yet. */
    public ObjectNode look() throws InterruptedException {
        List<String> trouble = new ArrayList<>();
        List<GroupSnapshot> found = new ArrayList<>();
        Map<String, MemberAddress> members = new LinkedHashMap<>();
        for (String group : groups) {
            try {
                GroupSnapshot snapshot = brokers.read(group);
                found.add(snapshot);
                for (GroupMember each : snapshot.members()) {
                    add(MemberAddress.of(each, group), members);
                }
            } catch (CliFailure e) {
                trouble.add(String.valueOf(e.getMessage()));
            }
        }
        Set<URI> known = MemberAddress.consoles(members.values());
        addresses.stream()
                .filter(each -> !known.contains(each))
                .forEach(each -> add(MemberAddress.given(each), members));
        List<MemberAddress> asked =
                members.values().stream().limit(MOST_MEMBERS).toList();
        if (members.size() > asked.size()) {
            trouble.add("only " + MOST_MEMBERS + " of " + members.size() + " members are asked");
        }
        return new FleetView(Instant.now(), poll.ask(asked), found, trouble).toJson();
    }

    private static void add(MemberAddress address, Map<String, MemberAddress> members) {
        members.putIfAbsent(address.identity(), address);
    }

    @Override
    public void close() {
        poll.close();
        onClose.run();
    }
}

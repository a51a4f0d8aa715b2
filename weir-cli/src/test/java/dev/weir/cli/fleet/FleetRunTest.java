package dev.weir.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.cli.group.GroupSnapshot;
import dev.weir.cli.group.GroupSnapshot.GroupMember;
import dev.weir.cli.group.GroupSnapshot.PartitionLag;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests made-up groups, with small HTTP servers as members. {@code FleetTest} uses real brokers and pipes. */
@Timeout(60)
class FleetRunTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<StandIn> standIns = new ArrayList<>();

    @AfterEach
    void close() {
        standIns.forEach(StandIn::close);
    }

    private StandIn add(StandIn standIn) {
        standIns.add(standIn);
        return standIn;
    }

    private static GroupMember member(int number, String clientId) {
        return new GroupMember("member-" + number, clientId, "127.0.0.1", Set.of());
    }

    private static GroupSnapshot group(String name, String topic, long lag, List<GroupMember> members) {
        return new GroupSnapshot(
                name,
                "classic",
                "Stable",
                members,
                List.of(new PartitionLag(
                        new TopicPartition(topic, 0), lag < 0 ? -1 : 5, 0, 5 + lag, lag, 0, null, null)));
    }

    private static ObjectNode look(Map<String, GroupSnapshot> groups, URI... addresses) throws Exception {
        return look(PATIENCE, groups, addresses);
    }

    private static ObjectNode look(Duration patience, Map<String, GroupSnapshot> groups, URI... addresses)
            throws Exception {
        try (FleetRun run = new FleetRun(
                groups.keySet().stream().sorted().toList(),
                List.of(addresses),
                name -> Objects.requireNonNull(groups.get(name), name),
                new MemberPoll(patience, null),
                () -> {})) {
            return run.look();
        }
    }

    private GroupSnapshot group(String name, String reads, String writes, long lag, double rate, int members) {
        List<GroupMember> all = IntStream.range(0, members)
                .mapToObj(i -> member(
                        i,
                        name + ".console-"
                                + add(StandIn.of("pipe", reads, writes, lag, rate, "stage-wait"))
                                        .port()))
                .toList();
        return group(name, reads, lag, all);
    }

    @Test
    void fiftyMembers_ofThreeGroups_areAskedAndJoinedByTheirTopics() throws Exception {
        JsonNode view = look(Map.of(
                "a-clean", group("a-clean", "raw", "clean", 100, 50, 20),
                "b-price", group("b-price", "clean", "priced", 90_000, 40, 25),
                "c-bill", group("c-bill", "priced", "bills", 0, 40, 5)));
        assertThat(view.path("members"))
                .hasSize(50)
                .allMatch(each -> each.path("answers").asBoolean());
        assertThat(view.path("pipelines"))
                .extracting(each -> each.path("members").asInt())
                .containsExactly(20, 25, 5);
        assertThat(view.path("edges"))
                .extracting(each -> each.path("from").asText() + " "
                        + each.path("topic").asText() + " " + each.path("to").asText())
                .containsExactly("a-clean clean b-price", "b-price priced c-bill");
        JsonNode limits = view.path("limits");
        assertThat(limits.path("candidates")).extracting(JsonNode::asText).containsExactly("b-price");
        assertThat(limits.path("confidence").asText()).isEqualTo("sure");
        assertThat(limits.path("sentence").asText())
                .isEqualTo("b-price limits the whole: 90,000 records wait in front of it, 90 s of its work");
        assertThat(limits.at("/limiter/kind").asText()).isEqualTo("stage-wait");
        assertThat(limits.at("/limiter/members").asInt()).isEqualTo(25);
    }

    @Test
    void membersThatDoNotAnswer_areShownWithTheReason() throws Exception {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        try (ServerSocket deaf = new ServerSocket(0)) {
            List<GroupMember> members = List.of(
                    member(1, "x.console-" + closed),
                    member(2, "x.console-" + deaf.getLocalPort()),
                    member(3, "consumer-x-1"),
                    member(4, "consumer-x-1"),
                    member(
                            5,
                            "x.console-"
                                    + add(new StandIn(401, "{\"error\":\"a token\"}"))
                                            .port()),
                    member(6, "x.console-" + add(new StandIn(200, "<html>")).port()),
                    member(
                            7,
                            "x.console-"
                                    + add(new StandIn(200, "{\"status\":\"UP\"}"))
                                            .port()),
                    member(
                            8,
                            "x.console-"
                                    + add(new StandIn(503, "{\"error\":\"closing\"}"))
                                            .port()),
                    member(
                            9,
                            "x.console-"
                                    + add(StandIn.of("pipe", "in", "out", 7, 1, "stage-cpu"))
                                            .port()));
            JsonNode view = look(Duration.ofSeconds(3), Map.of("x", group("x", "in", 1_000, members)));
            List<String> reasons = view.path("members")
                    .valueStream()
                    .filter(each -> !each.path("answers").asBoolean())
                    .map(each -> each.path("reason").asText())
                    .toList();
            assertThat(reasons).hasSize(8);
            assertThat(String.join("\n", reasons))
                    .contains(
                            "nothing listens there for this machine",
                            "no answer within 3000 ms",
                            "its client.id names no console",
                            "demands a token",
                            "is not a Weir console",
                            "is not the console of a pipeline",
                            "refused with 503: closing");
            // The lag is from the brokers, and the rate from the only member that answers.
            assertThat(view.at("/pipelines/0/lag").asInt()).isEqualTo(1_000);
            assertThat(view.at("/limits/confidence").asText()).isEqualTo("candidates");
            assertThat(view.at("/limits/why").toString()).contains("8 of 9 members of x report no rate");
        }
    }

    @Test
    void lagThatIsNotKnown_makesTheLimitUnknown() throws Exception {
        StandIn one = add(StandIn.of("pipe", "in", "out", 0, 5, "arrival"));
        JsonNode view = look(Map.of("x", group("x", "in", -1, List.of(member(1, "x.console-" + one.port())))));
        assertThat(view.at("/pipelines/0/lag").asText()).isEqualTo("unknown");
        assertThat(view.at("/limits/confidence").asText()).isEqualTo("unknown");
        assertThat(view.at("/limits/sentence").asText()).isEqualTo("What limits the whole is not known");
        assertThat(look(Map.of()).at("/limits/confidence").asText()).isEqualTo("unknown");
    }

    @Test
    void pipelinesWithAboutTheSameDelay_areBothNamed_andOneThatStandsStillIsTheOne() throws Exception {
        Map<String, GroupSnapshot> near =
                Map.of("a", group("a", "in", "mid", 1_000, 10, 1), "b", group("b", "mid", "out", 700, 10, 1));
        JsonNode limits = look(near).path("limits");
        assertThat(limits.path("confidence").asText()).isEqualTo("candidates");
        assertThat(limits.path("candidates")).hasSize(2);
        Map<String, GroupSnapshot> still =
                Map.of("a", group("a", "in", "mid", 9_000, 10, 1), "b", group("b", "mid", "out", 3, 0, 1));
        JsonNode view = look(still);
        assertThat(view.at("/limits/sentence").asText())
                .isEqualTo("b limits the whole: 3 records wait and none was taken in the last 5 s");
        assertThat(view.at("/pipelines/1/stands_still").asBoolean()).isTrue();
    }

    /** Rounded rates would add up wrongly: four members at 0.6 to 4, and 0.4 to 0. */
    @ParameterizedTest
    @CsvSource({"0.4, 1, 0.4", "0.2, 1, 0.2", "0.4, 3, 1.2", "0.6, 4, 2.4", "1.4, 1, 1.4"})
    void pipelineOfFewRecords_hasItsRate_andDoesNotStandStill(double rate, int members, double whole) throws Exception {
        JsonNode view = look(Map.of("a", group("a", "in", "out", 120, rate, members)));
        JsonNode pipeline = view.at("/pipelines/0");
        assertThat(pipeline.path("stands_still").asBoolean()).isFalse();
        assertThat(pipeline.path("in_per_second").asDouble()).isCloseTo(whole, within(0.001));
        assertThat(pipeline.path("out_per_second").asDouble()).isCloseTo(whole, within(0.001));
        assertThat(pipeline.path("delay_s").asDouble()).isCloseTo(120 / whole, within(0.1));
        assertThat(view.at("/members/0/in_per_second").asDouble()).isCloseTo(rate, within(0.001));
        assertThat(view.at("/limits/sentence").asText())
                .isEqualTo("a limits the whole: 120 records wait in front of it, %.0f s of its work"
                        .formatted(120 / whole));
    }

    /** A console that has just started has counted nothing yet. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"figures\":{\"seconds\":0},\"stages\":[{\"name\":\"consume\",\"recent_out\":0,\"recent_out_per_second\":0}]",
                "\"stages\":[{\"name\":\"consume\",\"out_per_second\":0,\"recent_out_per_second\":0}]",
                "\"stages\":[]"
            })
    void rateWithoutCounts_isNotKnown_andIsNoStandstill(String stages) throws Exception {
        StandIn one = add(new StandIn(200, "{\"pipeline\":\"pipe\"," + stages + "}"));
        JsonNode view = look(Map.of("x", group("x", "in", 9, List.of(member(1, "x.console-" + one.port())))));
        assertThat(view.at("/pipelines/0/stands_still").asBoolean()).isFalse();
        assertThat(view.at("/pipelines/0/in_per_second").asText()).isEqualTo("unknown");
        assertThat(view.at("/limits/sentence").asText()).isEqualTo("What limits the whole is not known");
    }

    @Test
    void membersWithOneAddress_areAllShown_askedOnce_andCountedOnce() throws Exception {
        StandIn one = add(StandIn.of("pipe", "in", "out", 100, 10, "stage-cpu"));
        String id = "x.console-" + one.port();
        JsonNode view = look(
                Map.of(
                        "x", group("x", "in", 1_000, List.of(member(1, id), member(2, id))),
                        "y", group("y", "other", 0, List.of(member(1, id)))),
                one.uri());
        assertThat(view.path("members"))
                .as("%s", view)
                .extracting(each -> each.path("group").asText() + " "
                        + each.path("member_id").asText())
                .containsExactlyInAnyOrder("x member-1", "x member-2", "y member-1");
        assertThat(one.asked()).isEqualTo(1);
        assertThat(view.at("/pipelines/0/members").asInt()).isEqualTo(2);
        assertThat(view.at("/pipelines/0/in_per_second").asDouble()).isEqualTo(10);
        assertThat(view.at("/limits/confidence").asText()).isEqualTo("candidates");
        assertThat(view.path("trouble").toString())
                .contains("2 members of x have one console, " + one.uri() + ", which reports one of them");
    }

    @Test
    void addressGivenTwice_isOneMember() throws Exception {
        StandIn one = add(StandIn.of("pipe", "in", "out", 100, 10, "stage-cpu"));
        JsonNode view = look(Map.of(), one.uri(), one.uri());
        assertThat(view.path("members")).hasSize(1);
        assertThat(view.path("trouble")).isEmpty();
    }

    @Test
    void silentMembers_doNotKeepOthersFromBeingAsked() throws Exception {
        List<GroupMember> members = new ArrayList<>();
        List<ServerSocket> deaf = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                ServerSocket socket = new ServerSocket(0);
                deaf.add(socket);
                members.add(member(i, "x.console-" + socket.getLocalPort()));
            }
            for (int i = 40; i < 80; i++) { // These members begin to answer and stop midway.
                members.add(member(i, "x.console-" + add(StandIn.stalling()).port()));
            }
            for (int i = 80; i < 100; i++) {
                members.add(member(
                        i,
                        "x.console-"
                                + add(StandIn.of("pipe", "in", "out", 7, 1, "stage-cpu"))
                                        .port()));
            }
            JsonNode view = look(Duration.ofSeconds(3), Map.of("x", group("x", "in", 1_000, members)));
            assertThat(view.at("/pipelines/0/answering").asInt()).isEqualTo(20);
        } finally {
            for (ServerSocket each : deaf) {
                each.close();
            }
        }
    }

    @Test
    void silentMember_isAskedLessOften_untilItAnswers() throws Exception {
        AtomicLong nanos = new AtomicLong();
        StandIn stalling = add(StandIn.stalling());
        MemberAddress address = MemberAddress.given(stalling.uri());
        try (MemberPoll poll = new MemberPoll(Duration.ofMillis(300), null, nanos::get)) {
            int looks = 60;
            for (int i = 0; i < looks; i++) {
                assertThat(poll.ask(List.of(address)).getFirst().reason()).contains("no answer within 300 ms");
                nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            }
            assertThat(stalling.asked()).isBetween(4, 9);
            stalling.answer(StandIn.state("pipe", "in", "out", 7, 1, "stage-cpu"));
            nanos.addAndGet(Duration.ofSeconds(30).toNanos());
            assertThat(poll.ask(List.of(address)).getFirst().state()).isNotNull();
            stalling.answer(null);
            assertThat(poll.ask(List.of(address)).getFirst().state()).isNull();
            int before = stalling.asked();
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            assertThat(poll.ask(List.of(address)).getFirst().state()).isNull();
            assertThat(stalling.asked())
                    .as("it is asked anew after one silence")
                    .isEqualTo(before + 1);
        }
    }

    @Test
    void pipelinesThatKeepUp_limitNothing() throws Exception {
        JsonNode limits = look(Map.of("a", group("a", "in", "out", 40, 10, 2))).path("limits");
        assertThat(limits.path("sentence").asText()).startsWith("All pipelines keep up");
        assertThat(limits.path("candidates")).isEmpty();
    }

    /** Without brokers, members with the same name and subscription form one pipeline. */
    @Test
    void addresses_areJoinedToPipelinesByNameAndSubscription() throws Exception {
        JsonNode view = look(
                Map.of(),
                add(StandIn.of("pipe", "in", "mid", 100, 10, "stage-cpu")).uri(),
                add(StandIn.of("pipe", "in", "mid", 100, 10, "stage-cpu")).uri(),
                add(StandIn.of("pipe", "mid", "out", 0, 20, "arrival")).uri(),
                URI.create("http://127.0.0.1:1"));
        assertThat(view.path("pipelines"))
                .extracting(each -> each.path("key").asText())
                .containsExactlyInAnyOrder("pipe of topics in", "pipe of topics mid");
        assertThat(view.path("edges")).hasSize(1);
        assertThat(view.path("members")).hasSize(4);
        assertThat(view.at("/members/0/answers").asBoolean())
                .as("the silent one comes first")
                .isFalse();
        assertThat(view.at("/limits/sentence").asText()).startsWith("pipe of topics in limits the whole");
    }

    @ParameterizedTest
    @CsvSource({
        "orders.console-9500, http://10.0.0.7:9500",
        "console-9500, http://10.0.0.7:9500",
        "weir-g.console-9500-in-retry-1, http://10.0.0.7:9500",
        "weir-g.console-9500-0123456789abcdef, http://10.0.0.7:9500",
        "consumer-orders-1,",
        "myconsole-9500,",
        "orders.console-0,",
        "orders.console-70000,",
        "orders.console-95000000,",
        "orders.console-x,",
    })
    void clientId_namesThePortOfAConsole_orNone(String clientId, String expected) {
        MemberAddress address = MemberAddress.of(new GroupMember("m", clientId, "10.0.0.7", Set.of()), "g");
        assertThat(address.console()).isEqualTo(expected == null ? null : URI.create(expected));
    }

    @Test
    void host_thatIsANumberOfVersionSix_standsInBrackets() {
        assertThat(MemberAddress.of(new GroupMember("m", "x.console-1", "::1", Set.of()), "g")
                        .console())
                .isEqualTo(URI.create("http://[::1]:1"));
    }
}

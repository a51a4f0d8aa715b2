package dev.weir.console.internal.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests which stages samples belong to. */
class StageJoinTest {

    private static final Frame PULL = Frame.of("dev.weir.stream.internal.operator.InPlaceStage", "pull");
    private static final Frame MAP = Frame.of("dev.weir.stream.internal.operator.MapStage$FunctionLoop.0x12", "apply");
    private static final Frame USER = Frame.of("shop.Pricing", "price");
    private static final Frame LAMBDA = Frame.of("shop.Main$$Lambda.0x77", "apply");

    private static CallStack stack(Frame... innermostFirst) {
        return new CallStack(List.of(innermostFirst), false);
    }

    private static Sample sample(long thread, long at, CallStack stack) {
        return new Sample(Sample.Kind.CPU, thread, at, 1, "", stack);
    }

    private static StageRun run(String stage, String maps) {
        return StageRun.of("orders", stage, maps);
    }

    private static List<String> stages(StageJoin join) {
        List<String> stages = new ArrayList<>();
        join.forEach((sample, stage) -> stages.add(
                stage == null ? "none" : Objects.requireNonNull(stage).stage()));
        return stages;
    }

    @Test
    void sample_withinARunOfItsThread_isOfThatStage() {
        CallStack here = stack(Frame.of("shop.A", "a"));
        StageJoin join = new StageJoin(List.of(
                sample(1, 99, here),
                sample(1, 100, here),
                sample(1, 200, here),
                sample(1, 201, here),
                sample(2, 150, here)));
        join.ran(1, 100, 200, run("price", ""));
        assertThat(stages(join)).containsExactly("none", "price", "price", "none", "none");
    }

    @Test
    void run_withinAnother_countsInItsPlaceInAnyOrder() {
        CallStack here = stack(USER);
        for (boolean innerFirst : new boolean[] {true, false}) {
            StageJoin join = new StageJoin(List.of(sample(1, 50, here), sample(1, 150, here)));
            if (innerFirst) {
                join.ran(1, 100, 200, run("inner", ""));
            }
            join.ran(1, 0, 1000, run("outer", ""));
            join.ran(1, 100, 200, run("inner", ""));
            assertThat(stages(join)).containsExactly("outer", "inner");
        }
    }

    @Test
    void maps_thatShareAPass_areToldByTheirCalls() {
        Frame through = Frame.of("dev.weir.stream.internal.operator.MapStage", "through");
        List<Sample> samples = List.of(
                sample(1, 1, stack(USER, LAMBDA, MAP, through, PULL)),
                sample(1, 2, stack(USER, LAMBDA, MAP, MAP, through, PULL)),
                sample(1, 3, stack(USER, LAMBDA, MAP, MAP, MAP, through, PULL)),
                sample(1, 4, stack(USER, LAMBDA, PULL)));
        StageJoin join = new StageJoin(samples);
        join.ran(1, 0, 10, run("sink", "c\nb\na"));
        assertThat(stages(join)).containsExactly("c", "b", "a", "sink");
    }

    @Test
    void sample_withoutARun_isOfTheStageThatHasTheSameCalls() {
        CallStack price = stack(USER, LAMBDA, PULL);
        CallStack other = stack(Frame.of("shop.Other", "other"), PULL);
        StageJoin join = new StageJoin(List.of(
                sample(1, 50, price), sample(1, 500, price), sample(1, 501, other), sample(1, 502, stack(USER))));
        join.ran(1, 0, 100, run("price", ""));
        assertThat(stages(join)).containsExactly("price", "price", "none", "none");
    }

    @Test
    void calls_ofTwoStages_tellNeither() {
        CallStack price = stack(USER, LAMBDA, PULL);
        StageJoin join = new StageJoin(List.of(sample(1, 50, price), sample(1, 150, price), sample(1, 500, price)));
        join.ran(1, 0, 100, run("first", ""));
        join.ran(1, 101, 200, run("second", ""));
        assertThat(stages(join)).containsExactly("first", "second", "none");
    }

    @Test
    void owner_isWhoseCodeIsInnermost() {
        Frame jdk = Frame.of("java.util.HashMap", "get");
        Frame client = Frame.of("org.apache.kafka.clients.NetworkClient", "poll");
        Frame run = Frame.of("java.lang.Thread", "run");
        assertThat(Stream.of(
                                stack(jdk, USER, LAMBDA, PULL, run),
                                stack(jdk, LAMBDA, PULL, run),
                                stack(PULL, USER, LAMBDA, PULL, run),
                                stack(client, USER, PULL),
                                stack(jdk, PULL, run),
                                stack(PULL, Frame.of("shop.Main", "main")),
                                stack(jdk, client, PULL),
                                stack(client, run),
                                stack(USER, client, run),
                                stack(USER, run),
                                stack(jdk, run),
                                // A broker in the same process.
                                stack(jdk, client, Frame.of("kafka.server.KafkaApis", "handle"), run),
                                stack(client, Frame.of("org.apache.kafka.storage.internals.log.UnifiedLog", "append")),
                                new CallStack(List.of(jdk, USER, USER), true))
                        .map(CallStack::owner)
                        .map(Enum::name))
                .containsExactly(
                        "USER", "USER", "USER", "USER", "ENGINE", "ENGINE", "CLIENT", "CLIENT", "CLIENT", "OTHER",
                        "OTHER", "OTHER", "OTHER", "USER");
    }

    @Test
    void code_ofTheUser_hasNoFramesOfTheEngineAround() {
        Frame jdk = Frame.of("java.util.HashMap", "get");
        CallStack called = stack(jdk, USER, LAMBDA, MAP, PULL);
        assertThat(called.userCode()).containsExactly(jdk, USER);
        assertThat(called.userMethods()).containsExactly(USER);
        CallStack reference = stack(jdk, LAMBDA, PULL);
        assertThat(reference.userMethods()).containsExactly(jdk);
        assertThat(stack(LAMBDA, PULL).userMethods().getFirst().name()).isEqualTo("shop.Main (lambda).apply");
    }
}

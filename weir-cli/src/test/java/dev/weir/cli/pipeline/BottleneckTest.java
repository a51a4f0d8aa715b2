package dev.weir.cli.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.StageSnapshot;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rule of docs/reference/pipe.md with counters as runs have shown them. */
class BottleneckTest {

    private static StageSnapshot stage(String name, int busy, int up, int down) {
        return new StageSnapshot(name, 1, 1, 1, busy, up, down, 0, 100);
    }

    private static void assertBottleneck(String name, StageSnapshot... stages) {
        assertThat(Bottleneck.of(List.of(stages)).stage()).isEqualTo(name);
    }

    @Test
    void busiestStage_isTheBottleneck() {
        assertBottleneck(
                "work",
                stage("consume", 0, 1, 96),
                stage("work", 97, 3, 0),
                stage("map", 0, 95, 0),
                stage("produce", 3, 95, 0));
    }

    /** Identity: `produce` was not marked, and `map`, which never waits because it never has a thread, was by the old rule. */
    @Test
    void busyProduce_isMarked_andAnIdleStageIsNot() {
        assertBottleneck("produce", stage("consume", 4, 20, 70), stage("map", 0, 0, 0), stage("produce", 73, 20, 0));
    }

    /** A key that all records have: one lane of many works, and is the reason all the same. */
    @Test
    void stageThatTakesNothing_isMarked_thoughFewOfItsThreadsWork() {
        assertBottleneck("work", stage("consume", 1, 2, 90), stage("work", 2, 1, 0), stage("produce", 1, 95, 0));
    }

    @Test
    void outputThatIsNotTaken_isNoStagesFault() {
        List<StageSnapshot> stages =
                List.of(stage("consume", 1, 0, 90), stage("map", 1, 0, 90), stage("produce", 3, 0, 90));
        assertThat(Bottleneck.of(stages).stage()).isNull();
        assertThat(Bottleneck.of(stages).sentence()).contains("waited for the brokers");
    }

    @Test
    void emptyTopic_hasNone_andSaysSo() {
        List<StageSnapshot> stages = List.of(stage("consume", 1, 90, 0), stage("produce", 3, 90, 0));
        assertThat(Bottleneck.of(stages).stage()).isNull();
        assertThat(Bottleneck.of(stages).sentence()).startsWith("no bottleneck").contains("waited for records");
    }

    @Test
    void noStages_haveNone() {
        assertThat(Bottleneck.of(List.of()).stage()).isNull();
    }
}

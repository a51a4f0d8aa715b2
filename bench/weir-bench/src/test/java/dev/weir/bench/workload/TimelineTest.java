package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.live.Order;
import dev.weir.bench.live.TimelineEntry;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests workloads whose settings change during a run. */
class TimelineTest {
    private static final String WORKLOAD = """
            name: w
            scenario: work
            drivers: [weir]
            baseline: weir
            topic: {partitions: 4, recordsPerSecond: 500}
            """;

    @Test
    void timeline_isRead_alsoAsItWasRecorded() {
        Workload workload = Workload.parse("w.yaml", WORKLOAD + """
                timeline:
                  - {at: 2s, set: {producerRate: 100, client.max.poll.records: 40}}
                  - {"at":"2.500s","restart-consumers":"50%","took":"0.700s","did":{"restart-consumers":"1 of 2"}}
                  - at: 0.2m
                    drain: true
                """, false);
        assertThat(workload.timeline())
                .extracting(TimelineEntry::order)
                .containsExactly(
                        new Order.Set(Map.of("producerRate", "100", "client.max.poll.records", "40")),
                        new Order.RestartConsumers("50%"),
                        new Order.Drain());
        assertThat(workload.timeline()).extracting(TimelineEntry::atMillis).containsExactly(2e3, 2.5e3, 12e3);
        assertThat(workload.points().getFirst().isChangeable()).isTrue();
        assertThat(Workload.ofText(workload.text()).timeline()).isEqualTo(workload.timeline());
    }

    @Test
    void quick_hasATimelineOfItsOwn() {
        String yaml = WORKLOAD + "timeline: [{at: 9s, drain: true}]\nquick: {timeline: [{at: 1s, pause: 1s}]}\n";
        assertThat(Workload.parse("w.yaml", yaml, true).timeline())
                .extracting(TimelineEntry::order)
                .containsExactly(new Order.Pause(1000));
        assertThat(Workload.parse("w.yaml", yaml, false).timeline())
                .extracting(TimelineEntry::order)
                .containsExactly(new Order.Drain());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            [{at: 1s, set: {rate: 5}}]               | w.yaml:6:12: there is no key rate to set: there are producerRate
            [{drain: true}]                          | w.yaml:6:12: an entry of timeline needs at
            [{at: 1s}]                               | w.yaml:6:12: one order at a time
            [{at: 5, drain: true}]                   | w.yaml:6:12: at must be a time such as
            [{at: 2s, drain: true}, {at: 1s, drain: true}] | w.yaml:6:35: entries of timeline are in the order of their times
            [{at: 1s, set: {client.max.poll.record: 5}}] | no Kafka client knows max.poll.record; did you mean max.poll.records?
            [{at: 1s, set: {client.ssl.key.password: x}}] | client.ssl.key.password is a secret
            [{at: 1s, set: {client.max.poll.records: abc}}] | client.max.poll.records=abc cannot be set: Invalid value abc
            [{at: 1s, set: {client.max.poll.records: 0}}] | client.max.poll.records=0 cannot be set: Invalid value 0
            [{at: 1s, set: {client.group.id: g}}]    | client.group.id cannot be set: it is the run's own
            [{at: 1s, set: {client.enable.auto.commit: true}}] | client.enable.auto.commit cannot be set: it is the run's own
            [{at: 1s, set: {group.share.partition.max.record.lock: 5}}] | there is no key group.share.partition.max.record.lock to set: Kafka keeps no such setting for groups; did you mean share.partition.max.record.locks?
            [{at: 1s, set: {group.share.partition.max.record.locks: many}}] | group.share.partition.max.record.locks=many cannot be set
            [{at: 1s, set: {group.: 5}}]             | there is no key group. to set
            [{at: 9h, drain: true}]                  | w.yaml: timeline, at 32400.000s: the run ends before
            [{at: 1s, extend: 9h}, {at: 10h, drain: true}] | w.yaml: timeline, at 36000.000s: the run ends before
            [{at: 1s, end: true}, {at: 2s, drain: true}] | the run ends before, at 1.0s
            [{at: 1s, drain: true, drain: true}]     | w.yaml:6:
            {at: 1s}                                 | w.yaml:6:11: timeline must be a list
            [5]                                      | w.yaml:6:12: an entry of timeline must be keys with values
            """)
    void fault_isRefusedWithItsPlace(String timeline, String message) {
        assertThatThrownBy(() -> Workload.parse("w.yaml", WORKLOAD + "timeline: " + timeline + "\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining(message);
    }

    @Test
    void plannedFaults_areEntriesOfTheTimeline_andQuickHasItsOwn() {
        String yaml = WORKLOAD
                + "timeline: [{at: 4s, drain: true}]\n"
                + "faults: {from: 2s, every: 3s, of: [{kill: 1}, {freeze: 1 for 2s}]}\n"
                + "quick: {faults: {from: 1s, every: 1s, of: [{join: 1}]}}\n";
        assertThat(Workload.parse("w.yaml", yaml, false).timeline())
                .extracting(entry -> entry.order().text())
                .containsExactly("kill 1", "drain true", "freeze 1 for 2.000s");
        assertThat(Workload.parse("w.yaml", yaml, true).timeline())
                .extracting(entry -> entry.order().text())
                .containsExactly("join 1", "drain true");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            timeline: [{at: 1s, cut: 1 for 2s}]            | cut needs a network that can fail: set method.proxy: true
            timeline: [{at: 1s, lose-broker: 2 for 2s}]    | there is no broker 2, there are 1: lose-broker 2 for 2.000s
            timeline: [{at: 1s, fill-disk: 1 for 2s}]      | fill-disk needs a disk that can fail: set method.diskFaults: true
            timeline: [{at: 1s, slow-disk: 2 by 9ms for 2s}] | slow-disk needs a disk that can fail: set method.diskFaults: true
            timeline: [{at: 1s, freeze: 2s}]               | w.yaml:6:12: freeze must be a number and a time
            faults: {every: 2s, of: [{kill: 1}]}           | w.yaml:6:9: faults needs from
            faults: {from: 1s, every: 2s, of: [{die: 1}]}  | w.yaml:6:36: there is no order die
            faults: {from: 1s, every: 2s}                  | faults needs of, a list
            topic.replicas: 2                              | topic.replicas must be at most brokers: topic.replicas=2 brokers=1
            """)
    void faultThatTheRunCannotHave_isRefused(String line, String message) {
        assertThatThrownBy(() -> Workload.parse("w.yaml", WORKLOAD + line + "\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            scenario: work                              | timeline needs runs that can be changed: set scenario to work, at-least-once, at-most-once or copy, and topic.recordsPerSecond
            scenario: steady                            | timeline needs runs that can be changed
            """)
    void runThatCannotBeChanged_hasNoTimeline(String scenario, String message) {
        String topic = scenario.endsWith("steady") ? "topic: {recordsPerSecond: 5}\n" : "";
        String yaml = "name: w\n" + scenario + "\ndrivers: [plain]\n" + topic + "timeline: [{at: 1s, drain: true}]\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining(message);
    }

    @Test
    void liveSteadyRun_takesWhatHasNoNeedOfAGroup() {
        String yaml = "name: w\nscenario: steady\ndrivers: [plain]\ntopic: {recordsPerSecond: 5}\nmethod.live: true\n";
        String taken =
                yaml + "timeline: [{at: 1s, set: {producerRate: 9}}, {at: 2s, pause: 1s}, {at: 9s, end: true}]\n";
        assertThat(Workload.parse("w.yaml", taken, false).timeline()).hasSize(3);
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml + "timeline: [{at: 1s, kill: 1}]\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("kill 1: scenario steady has one process");
        assertThatThrownBy(() -> Workload.parse("w.yaml", WORKLOAD + "method.live: true\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("method.live applies only to scenario steady");
    }

    @Test
    void work_isSetOfHandlersOnly() {
        String yaml = WORKLOAD.replace("scenario: work", "scenario: at-least-once");
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml + "timeline: [{at: 1s, set: {work: 1ms}}]\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("at 1.000s: work cannot be set: scenario at-least-once has no handlers");
    }

    @Test
    void whatComesInTimeByAnExtend_isRead() {
        String yaml = WORKLOAD + "timeline: [{at: 1s, extend: 9h}, {at: 9h, drain: true}]\n";
        assertThat(Workload.parse("w.yaml", yaml, false).timeline()).hasSize(2);
    }

    /** A resumed campaign reads the stored text of its workload. The text must say that the timeline was left out. */
    @Test
    void withoutItsTimeline_nothingIsOrdered_alsoWhenItIsReadAgain() {
        String yaml = WORKLOAD + "timeline: [{at: 1s, drain: true}]\nquick: {timeline: [{at: 2s, drain: true}]}\n";
        for (boolean quick : new boolean[] {false, true}) {
            Workload whole = Workload.parse("w.yaml", yaml, quick);
            Workload typed = whole.withoutTimeline();
            assertThat(whole.timeline()).hasSize(1);
            assertThat(typed.timeline()).isEmpty();
            assertThat(Workload.ofText(typed.text())).isEqualTo(typed);
            assertThat(typed.isQuick()).isEqualTo(quick);
        }
    }

    @Test
    void whatTheGeneratorDoesNotKnow_isRefused_whereItSends() {
        assertThatThrownBy(() -> Workload.parse("w.yaml", WORKLOAD + "topic.headers: 5\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("leave topic.headers out");
    }
}

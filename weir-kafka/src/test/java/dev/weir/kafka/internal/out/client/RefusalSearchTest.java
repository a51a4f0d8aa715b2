package dev.weir.kafka.internal.out.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.out.client.RefusalSearch.Reason;
import dev.weir.kafka.internal.out.client.RefusalSearch.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefusalSearchTest {

    private final Exception tooLarge = new RecordTooLargeException("too large");
    private final Exception neighbour = new KafkaException("its neighbour");

    private final RefusalSearch<String> search = new RefusalSearch<>();
    private final List<String> log = new ArrayList<>();

    /** A broker that refuses a whole batch for one bad record. The client then accepts no more records. */
    private final class Broker implements RefusalSearch.Way<String> {

        private final Set<String> bad;
        private final List<String> batch = new ArrayList<>();
        private boolean isStopped;

        Broker(Set<String> bad) {
            this.bad = bad;
        }

        @Override
        public boolean send(String record) {
            if (!isStopped) {
                batch.add(record);
            }
            return !isStopped;
        }

        @Override
        public boolean settle() {
            if (batch.stream().anyMatch(bad::contains)) {
                batch.forEach(each -> search.refused(each, tooLarge));
                isStopped = true;
            } else {
                log.addAll(batch);
            }
            batch.clear();
            return !isStopped;
        }

        @Override
        public void sendAlone(String record) {
            assertThat(batch).as("in flight beside " + record).isEmpty();
            if (bad.contains(record)) {
                search.refused(record, tooLarge);
                isStopped = true;
            } else {
                log.add(record);
            }
        }
    }

    /** Sends the records until each one is written or found to be at fault. Returns the records at fault. */
    private List<String> settleAll(List<String> records, Set<String> bad) throws InterruptedException {
        List<String> atFault = new ArrayList<>();
        List<String> left = new ArrayList<>(records);
        for (int rounds = 0; !left.isEmpty(); rounds++) {
            assertThat(rounds).as("rounds").isLessThan(100);
            int ignored = search.resend(List.copyOf(left), new Broker(bad));
            boolean isRuled = search.review(why -> true, (record, why) -> atFault.add(record));
            left.removeAll(log);
            left.removeAll(atFault);
            assertThat(isRuled || left.isEmpty()).isTrue();
        }
        return atFault;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "7", "3 4", "0 7", "0 1 2 3 4 5 6 7"})
    void recordsAtFault_areFoundOneByOne_andAllOthersAreWrittenInOrder(String bad) throws Exception {
        List<String> records = IntStream.range(0, 8).mapToObj(String::valueOf).toList();
        Set<String> atFault = bad.isEmpty() ? Set.of() : Set.of(bad.split(" "));
        assertThat(settleAll(records, atFault)).isSorted().containsExactlyInAnyOrderElementsOf(atFault);
        assertThat(log).isSorted().doesNotHaveDuplicates().hasSize(8 - atFault.size());
        assertThat(search.isEmpty()).isTrue();
    }

    @Test
    void suspect_isSentOnceAllBeforeItAreAnswered_andBeforeThoseBehindIt() throws Exception {
        var ignored = search.suspect("b", tooLarge);
        assertThat(search.resend(List.of("a", "b", "c"), new Broker(Set.of()))).isEqualTo(3);
        assertThat(log).containsExactly("a", "b", "c");
        assertThat(search.isEmpty()).isTrue();
    }

    @Test
    void resend_whenItsWayTakesNothingMore_leavesTheSuspectAndWhatIsBehindIt() throws Exception {
        var ignored = search.suspect("b", tooLarge);
        assertThat(search.resend(List.of("a", "b", "c"), new Broker(Set.of("a"))))
                .isEqualTo(1);
        assertThat(search.isSuspect("b")).isTrue();
        assertThat(log).isEmpty();
    }

    @Test
    void recordRefusedAmongOthers_isASuspectOnce_andAtFaultOnlyAlone() {
        search.refused("a", tooLarge);
        assertThat(search.stateOf("a")).isInstanceOf(State.Refused.class);
        assertThat(search.review(why -> true, (record, why) -> log.add(record))).isTrue();
        assertThat(log).isEmpty();
        assertThat(search.isSuspect("a")).isTrue();
        assertThat(search.nextAlone()).isEqualTo("a");
        search.refused("a", tooLarge);
        assertThat(search.review(why -> true, (record, why) -> log.add(record))).isTrue();
        assertThat(log).containsExactly("a");
        assertThat(search.isEmpty()).isTrue();
    }

    @Test
    void recordRefusedForItself_needsNoTrial() {
        search.refusedForItself("a", tooLarge);
        assertThat(search.review(why -> true, (record, why) -> log.add(record))).isTrue();
        assertThat(log).containsExactly("a");
    }

    // Refusals of an aborted transaction must not explain later failures.
    @Test
    void refusalsThatNoRuleIsFor_areForgottenAtTheEndOfTheirAttempt_andSuspectsAreNot() {
        var ignored = search.suspect("waits", tooLarge);
        search.refused("a", neighbour);
        search.refusedForItself("b", neighbour);
        assertThat(search.review(tooLarge::equals, (record, why) -> log.add(record)))
                .isFalse();
        assertThat(search.stateOf("a")).isNull();
        assertThat(search.stateOf("b")).isNull();
        assertThat(search.isSuspect("waits")).isTrue();
        assertThat(search.reason()).as("of this attempt").isNull();
    }

    @Test
    void suspectWithoutAnAnswer_whenItsAttemptFails_isTriedAgain() {
        var ignored = search.suspect("a", tooLarge);
        assertThat(search.nextAlone()).isEqualTo("a");
        assertThat(search.review(why -> true, (record, why) -> log.add(record))).isFalse();
        assertThat(search.nextAlone()).isEqualTo("a");
        assertThat(log).isEmpty();
    }

    @Test
    void reason_isTheRefusalThatSaysMost_andTheFirstOfEqualOnes() {
        Exception forbidden = new TopicAuthorizationException(Set.of("out"));
        search.refused("neighbour", neighbour);
        search.refused("first", tooLarge);
        search.refused("second", tooLarge);
        assertThat(Objects.requireNonNull(search.reason())).isEqualTo(new Reason<>("first", tooLarge));
        search.refused("third", forbidden);
        assertThat(Objects.requireNonNull(search.reason()).why()).isSameAs(forbidden);
    }

    @Test
    void nextAlone_givesOneAtATime_andPutsThoseThatWaitBehindTheOthers() {
        List.of("a", "b").forEach(record -> search.suspect(record, tooLarge));
        assertThat(search.nextAlone()).isEqualTo("a");
        assertThat(search.nextAlone()).as("a has no answer").isNull();
        assertThat(search.suspect("a", tooLarge)).isInstanceOf(State.Alone.class);
        assertThat(search.nextAlone()).isEqualTo("b");
        assertThat(search.forget("b")).isInstanceOf(State.Alone.class);
        assertThat(search.nextAlone()).isEqualTo("a");
    }
}

package dev.weir.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.command.terminal.CliFailure;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Tests the topic id of a replay with brokers that disagree. */
class TargetsTest {

    private static final Uuid FORMER = new Uuid(1, 1);
    private static final Uuid PRESENT = new Uuid(2, 2);

    private int opened;
    private int closed;

    /** Returns targets with these answers of brokers, one per connection. The last answer repeats. */
    private Targets targets(Duration patience, Uuid... answers) {
        ArrayDeque<Uuid> left = new ArrayDeque<>(List.of(answers));
        return new Targets(
                () -> {
                    Uuid answer = left.size() > 1 ? left.removeFirst() : left.getFirst();
                    opened++;
                    return (Admin) Proxy.newProxyInstance(
                            TargetsTest.class.getClassLoader(),
                            new Class<?>[] {Admin.class},
                            (self, method, args) -> switch (method.getName()) {
                                case "describeTopics" -> described(answer);
                                case "close" -> {
                                    closed++;
                                    yield null;
                                }
                                default -> throw new UnsupportedOperationException(method.getName());
                            });
                },
                patience);
    }

    private static DescribeTopicsResult described(Uuid id) {
        var topic = new TopicDescription("dead", false, List.of(), Set.of(), id);
        return new DescribeTopicsResult(null, Map.of("dead", KafkaFuture.completedFuture(topic))) {};
    }

    /** Regression: one broker with outdated metadata made a replay start from its beginning. */
    @Test
    void idThatTheCommitsContradict_isAskedForUntilTwoAnswersAgree() {
        Duration patience = Duration.ofMinutes(1);
        assertThat(targets(patience, FORMER, PRESENT).idOf("dead", Set.of(PRESENT)))
                .isEqualTo(PRESENT);
        assertThat(opened).isEqualTo(3);
        assertThat(targets(patience, PRESENT).idOf("dead", Set.of(FORMER))).isEqualTo(PRESENT);
    }

    /** A commit with a former topic's id would make the next run replay everything again. */
    @Test
    void idThatNoCommitConfirms_isAskedForTwice() {
        Targets targets = targets(Duration.ofMinutes(1), FORMER, PRESENT);
        assertThat(targets.idOf("dead", Set.of())).isEqualTo(PRESENT);
        targets.close();
        assertThat(closed).isEqualTo(opened).isEqualTo(3);
    }

    @Test
    void idThatTheCommitsConfirm_isAskedForOnce() {
        assertThat(targets(Duration.ofMinutes(1), PRESENT).idOf("dead", Set.of(PRESENT)))
                .isEqualTo(PRESENT);
        assertThat(opened).isEqualTo(1);
    }

    @Test
    void brokersThatDisagreeForTooLong_endTheRun() {
        assertThatThrownBy(() -> targets(Duration.ZERO, FORMER, PRESENT).idOf("dead", Set.of(PRESENT)))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("the brokers do not agree within 0 ms on the id of topic dead");
    }
}

package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.KafkaPipelineException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputTopicsTest {

    private static final Duration PAUSE = Duration.ofMillis(1);

    /** Only a hint leads to a check within the time of a test. */
    private static final Duration INTERVAL = Duration.ofHours(1);

    private static final Uuid ID = new Uuid(1, 1);
    private static final Uuid LATER_ID = new Uuid(2, 2);

    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    private final List<KafkaPipelineException> failures = new CopyOnWriteArrayList<>();

    /** The brokers' answers by topic. */
    private final Map<String, KafkaFuture<TopicDescription>> answers = new ConcurrentHashMap<>();

    private final OutputTopics topics = new OutputTopics(
            () -> {
                throw new AssertionError("the test asks the brokers itself");
            },
            failures::add,
            INTERVAL,
            PAUSE);

    private final Admin admin = admin(() -> new DescribeTopicsResult(null, answers) {});

    /** An action of a test's brokers. */
    @FunctionalInterface
    private interface Answer {
        DescribeTopicsResult get() throws Exception;
    }

    private Admin admin(Answer describe) {
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (self, method, args) -> {
                    if (method.getName().equals("describeTopics")) {
                        calls.add("describe " + ((Collection<?>) args[0]).size());
                        return describe.get();
                    }
                    calls.add(method.getName());
                    return null;
                });
    }

    private static KafkaFuture<TopicDescription> is(String topic, Uuid id) {
        return KafkaFuture.completedFuture(new TopicDescription(topic, false, List.of(), Set.of(), id));
    }

    private static KafkaFuture<TopicDescription> fails(Exception why) {
        KafkaFutureImpl<TopicDescription> failed = new KafkaFutureImpl<>();
        failed.completeExceptionally(why);
        return failed;
    }

    /** Regression: after one failed check, for example without DNS, topics were never checked again. */
    @Test
    void client_thatCannotBeCreatedAtFirst_isCreatedByALaterCheck() throws Exception {
        var isUp = new AtomicBoolean();
        Admin failing = admin(() -> {
            throw new OutOfMemoryError("planted");
        });
        var watched = new OutputTopics(
                () -> {
                    boolean wasUp = isUp.get();
                    calls.add("create");
                    if (!wasUp) {
                        throw new KafkaException("no bootstrap name resolves");
                    }
                    return failing;
                },
                failures::add,
                INTERVAL,
                PAUSE);
        try {
            watched.written("out");
            assertThat(next()).isEqualTo("create");
            isUp.set(true);
            watched.suspect("out");
            assertThat(List.of(next(), next())).containsExactly("create", "describe 1");
            watched.suspect("out");
            assertThat(next()).as("after a failed query").isEqualTo("describe 1");
        } finally {
            watched.close();
        }
        assertThat(next()).isEqualTo("close");
    }

    private String next() throws InterruptedException {
        return String.valueOf(calls.poll(20, TimeUnit.SECONDS));
    }

    /** A record for another topic, and an answer without the topic, lead to a check before the interval is over. */
    @Test
    void newTopic_andAMissingOne_areCheckedSoon() throws Exception {
        answers.put("out", fails(new UnknownTopicOrPartitionException("planted")));
        var watched = new OutputTopics(() -> admin, failures::add, INTERVAL, PAUSE);
        try {
            watched.written("out");
            for (int checks = 0; checks < 3; checks++) {
                assertThat(next()).isEqualTo("describe 1");
            }
            answers.put("out", is("out", ID));
            watched.written("other");
            String call = next();
            while (call.equals("describe 1")) {
                call = next();
            }
            assertThat(call).isEqualTo("describe 2");
        } finally {
            watched.close();
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void topics_areKnownFromTheirFirstRecordOn() {
        topics.close();
        assertThat(topics.isKnown("out")).isFalse();
        topics.written("out");
        topics.written("other");
        topics.written("out");
        assertThat(topics.isKnown("out")).isTrue();
        assertThat(topics.isKnown("unknown")).isFalse();
        assertThat(topics.topics()).containsExactlyInAnyOrder("out", "other");
    }

    private void look(long seconds, KafkaFuture<TopicDescription> answer) throws InterruptedException {
        answers.put("out", answer);
        topics.look(admin, TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void recreatedTopic_failsTheRun() throws Exception {
        topics.close();
        topics.written("out");
        look(0, is("out", ID));
        look(1, is("out", ID));
        assertThat(failures).isEmpty();
        look(2, is("out", LATER_ID));
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .hasMessageStartingWith("output topic out was deleted and recreated since this run began"));
    }

    @Test
    void topicMissingForTenSeconds_failsTheRun() throws Exception {
        topics.close();
        topics.written("out");
        KafkaFuture<TopicDescription> missing = fails(new UnknownTopicOrPartitionException("planted"));
        look(100, missing);
        look(109, missing);
        assertThat(failures).isEmpty();
        look(110, missing);
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .hasMessageStartingWith("output topic out was deleted since this run began"));
    }

    /** A broker that has just started may not know the topic yet. */
    @Test
    void topicThatWasMissingForAWhile_countsFromTheNextTimeOnly() throws Exception {
        topics.close();
        topics.written("out");
        KafkaFuture<TopicDescription> missing = fails(new UnknownTopicOrPartitionException("planted"));
        look(100, missing);
        look(105, is("out", ID));
        look(111, missing);
        look(120, missing);
        assertThat(failures).isEmpty();
        look(121, missing);
        assertThat(failures).hasSize(1);
    }

    /** Nobody knows whether the topic is still the same, so the run continues, and later answers count. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void topicThatCannotBeLookedUp_isNoFailure_andHidesNoOther(boolean isLate) throws Exception {
        KafkaFuture<TopicDescription> unclear =
                isLate ? new Late() : fails(new TopicAuthorizationException(Set.of("out")));
        topics.close();
        topics.written("out");
        topics.written("other");
        answers.put("other", is("other", ID));
        look(0, is("out", ID));
        look(1, unclear);
        look(20, unclear);
        assertThat(failures).isEmpty();
        answers.put("other", is("other", LATER_ID));
        look(21, unclear);
        assertThat(failures).hasSize(1);
        answers.put("other", is("other", ID));
        look(22, is("out", LATER_ID));
        assertThat(failures).hasSize(2);
    }

    /** The client also describes a topic that was not written. */
    @Test
    void topicThatWasNotWritten_isIgnored() throws Exception {
        look(0, is("out", ID));
        look(1, is("out", LATER_ID));
        assertThat(failures).isEmpty();
    }

    /** An answer that does not come in time. */
    private static final class Late extends KafkaFutureImpl<TopicDescription> {
        @Override
        public TopicDescription get(long timeout, @Nullable TimeUnit unit) throws TimeoutException {
            throw new TimeoutException("planted");
        }
    }
}

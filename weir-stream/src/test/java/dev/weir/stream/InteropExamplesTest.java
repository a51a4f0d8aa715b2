package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import org.junit.jupiter.api.Test;

/**
 * Runs the Javadoc examples of the interop methods with the JDK's publishers. checks/interop runs the Reactor examples.
 */
class InteropExamplesTest {

    @Test
    void fromPublisher() throws Exception {
        List<Integer> lengths = new ArrayList<>();
        RunningPipeline running;
        try (SubmissionPublisher<String> publisher = new SubmissionPublisher<>()) {
            running = Source.fromPublisher(publisher, 256)
                    .map(String::length)
                    .to(Sink.forEach(lengths::add))
                    .run();
            publisher.submit("one");
            publisher.submit("three");
        }
        running.await();
        assertThat(lengths).containsExactly(3, 5);
    }

    @Test
    void processor() throws Exception {
        Flow.Processor<String, Integer> lengths = Source.processor(256, lines -> lines.map(String::length));
        Receiver<Integer> subscriber = Receiver.asking(Long.MAX_VALUE);
        try (SubmissionPublisher<String> publisher = new SubmissionPublisher<>()) {
            publisher.subscribe(lengths);
            lengths.subscribe(subscriber);
            publisher.submit("one");
            publisher.submit("three");
        }
        assertThat(subscriber.ended.get()).isNull();
        assertThat(subscriber.seen).containsExactly(3, 5);
    }

    @Test
    void asPublisher() throws Exception {
        Receiver<Integer> subscriber = Receiver.asking(16);
        Source.of("one", "three").map(String::length).asPublisher().subscribe(subscriber);
        assertThat(subscriber.ended.get()).isNull();
        assertThat(subscriber.seen).containsExactly(3, 5);
    }

    @Test
    void asSharedPublisher() throws Exception {
        Flow.Publisher<Integer> shared =
                Source.of("one", "three").map(String::length).asSharedPublisher();
        Receiver<Integer> first = Receiver.asking(0);
        Receiver<Integer> second = Receiver.asking(Long.MAX_VALUE);
        shared.subscribe(first);
        shared.subscribe(second);
        first.subscription().request(2);
        assertThat(first.ended.get()).isNull();
        assertThat(first.seen).containsExactly(3, 5);
    }

    @Test
    void toSubscriber() throws Exception {
        Receiver<String> subscriber = Receiver.asking(16);
        RunningPipeline running =
                Source.of("one", "three").to(Sink.toSubscriber(subscriber)).run();
        running.await();
        assertThat(subscriber.seen).containsExactly("one", "three");
    }

    @Test
    void withClaim() throws Exception {
        List<String> stored = new ArrayList<>();
        Receiver<Claim<String>> subscriber = new Receiver<>(16, order -> {
            stored.add(order.value());
            order.ack();
        });
        Source.of("one", "three").withClaim().asPublisher().subscribe(subscriber);
        assertThat(subscriber.ended.get()).isNull();
        assertThat(stored).containsExactly("one", "three");
    }
}

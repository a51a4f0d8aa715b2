package dev.weir.console.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.console.ControlReport;
import dev.weir.console.internal.state.RunLooker;
import dev.weir.metrics.http.HttpEndpoint;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventStreamTest {

    /** A benchmark that has ended sends no readings, so that no write finds out that a client has gone. */
    @Test
    void streamWithoutReadings_endsWhenItsClientHasGone() throws Exception {
        AtomicInteger streams = new AtomicInteger();
        try (RunLooker looker = new RunLooker("ended", wanted -> ControlReport.of(Map.of(), List.of()));
                HttpEndpoint endpoint = HttpEndpoint.open("events", null, 0)) {
            EventStream events = new EventStream(looker.history(), Duration.ofMillis(20));
            endpoint.start((exchange, deadline) -> {
                assertThat(events.enter()).isTrue();
                streams.incrementAndGet();
                try {
                    events.send(exchange, deadline);
                } finally {
                    streams.decrementAndGet();
                }
            });
            try (Socket client =
                    new Socket(endpoint.uri().getHost(), endpoint.uri().getPort())) {
                client.setSoTimeout(20_000);
                client.getOutputStream()
                        .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(client.getInputStream().read()).isEqualTo('H');
                assertThat(streams).hasValue(1);
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> streams.get() == 0);
        }
    }
}

package dev.weir.cli.fleet;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.command.terminal.CliFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Queries all consoles in parallel, each once per poll. Limits the size of an answer and the time for it. A silent
 * console is queried less often until it answers. Confined to one thread.
 */
final class MemberPoll implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Maximum size of an answer. The state of ten thousand partitions takes about 3 MB. */
    private static final int MAX_BYTES = 4 * 1024 * 1024;

    /** Maximum size of all answers of one poll. An answer beyond it fails immediately. */
    private static final long MAX_BYTES_TOGETHER = 128L * 1024 * 1024;

    private static final int CHUNK_BYTES = 16 * 1024;

    /** Longest time until a silent console is queried again. */
    private static final long MOST_BACKOFF_SECONDS = 30;

    /** A console that has timed out {@code times} times in succession. */
    private record Silence(int times, long askAgainNanos) {}

    /** The answer of a console. */
    private record Answer(
            @Nullable JsonNode state, @Nullable String reason, boolean isLate) {

        static Answer silent(String reason) {
            return new Answer(null, reason, false);
        }
    }

    private final Duration patience;
    private final @Nullable String token;
    private final HttpClient http;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("weir-fleet-", 0).factory());
    private final LongSupplier clock;
    private final Map<URI, Silence> silences = new HashMap<>();

    /**
     * Creates a poll.
     *
     * @param patience time limit for all members together
     * @param token the token that their consoles require; null for none
     */
    MemberPoll(Duration patience, @Nullable String token) {
        this(patience, token, System::nanoTime);
    }

    /** Creates a poll with a clock for the time between queries. */
    MemberPoll(Duration patience, @Nullable String token, LongSupplier clock) {
        this.patience = patience;
        this.token = token;
        this.clock = clock;
        this.http = HttpClient.newBuilder()
                .proxy(HttpClient.Builder.NO_PROXY)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(patience)
                .build();
    }

    /** Queries the consoles, and returns the answers in the order of the addresses. */
    List<MemberAnswer> ask(List<MemberAddress> addresses) throws InterruptedException {
        Set<URI> consoles = MemberAddress.consoles(addresses);
        silences.keySet().retainAll(consoles);
        List<URI> asked = consoles.stream().filter(each -> !backsOff(each)).toList();
        AtomicLong bytesLeft = new AtomicLong(MAX_BYTES_TOGETHER);
        List<Callable<Answer>> questions = asked.stream()
                .<Callable<Answer>>map(each -> () -> ask(each, bytesLeft))
                .toList();
        List<Future<Answer>> futures = threads.invokeAll(questions, patience.toMillis(), TimeUnit.MILLISECONDS);
        Map<URI, Answer> answers = new HashMap<>();
        for (int i = 0; i < futures.size(); i++) {
            Answer answer = answer(futures.get(i));
            answers.put(asked.get(i), answer);
            note(asked.get(i), answer);
        }
        return addresses.stream().map(each -> of(each, answers)).toList();
    }

    private MemberAnswer of(MemberAddress address, Map<URI, Answer> answers) {
        if (address.console() == null) {
            return MemberAnswer.silent(address, address.whyNone() == null ? "" : address.whyNone());
        }
        Answer answer = answers.get(address.console());
        return answer == null
                ? MemberAnswer.silent(
                        address, noAnswerInTime() + "; it is asked again within " + MOST_BACKOFF_SECONDS + " s")
                : new MemberAnswer(address, answer.state(), answer.reason());
    }

    private boolean backsOff(URI console) {
        Silence silence = silences.get(console);
        return silence != null && clock.getAsLong() - silence.askAgainNanos < 0;
    }

    private void note(URI console, Answer answer) {
        if (!answer.isLate()) {
            silences.remove(console);
            return;
        }
        Silence last = silences.get(console);
        int times = last == null ? 1 : last.times + 1;
        // Query the console again after a single timeout, which may be a coincidence.
        long seconds = times == 1 ? 0 : Math.min(MOST_BACKOFF_SECONDS, 1L << Math.min(times, 10));
        silences.put(console, new Silence(times, clock.getAsLong() + TimeUnit.SECONDS.toNanos(seconds)));
    }

    private Answer answer(Future<Answer> future) throws InterruptedException {
        try {
            return future.get();
        } catch (CancellationException late) {
            return late();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return Answer.silent("unexpected " + cause);
        }
    }

    private Answer late() {
        return new Answer(null, noAnswerInTime(), true);
    }

    private String noAnswerInTime() {
        return "no answer within " + patience.toMillis() + " ms";
    }

    private Answer ask(URI console, AtomicLong bytesLeft) throws InterruptedException {
        try {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create(console + "/api/state")).timeout(patience);
            if (token != null) {
                request.header("Authorization", "Bearer " + token);
            }
            HttpResponse<InputStream> response = http.send(request.build(), BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                return read(response.statusCode(), body, bytesLeft);
            }
        } catch (HttpTimeoutException e) {
            return late();
        } catch (ConnectException e) {
            return Answer.silent(
                    "nothing listens there for this machine: the process has ended, or its console is on loopback");
        } catch (IOException e) {
            return Answer.silent(CliFailure.reason(e));
        }
    }

    private static Answer read(int status, InputStream body, AtomicLong bytesLeft) throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK_BYTES];
        for (int count = body.read(chunk); count >= 0; count = body.read(chunk)) {
            read.write(chunk, 0, count);
            if (read.size() > MAX_BYTES) {
                return Answer.silent("its answer has more than " + MAX_BYTES + " bytes");
            }
            if (bytesLeft.addAndGet(-count) < 0) {
                return Answer.silent("the answers of all members have more than " + MAX_BYTES_TOGETHER + " bytes");
            }
        }
        return read(status, read.toByteArray());
    }

    private static Answer read(int status, byte[] body) {
        if (status == 401) {
            return Answer.silent("its console demands a token: name the file with --token-file");
        }
        try {
            JsonNode state = JSON.readTree(body);
            if (status != 200) {
                return Answer.silent(
                        "refused with " + status + ": " + state.path("error").asText("no reason given"));
            }
            if (!state.isObject()
                    || !state.path("stages").isArray()
                    || !state.path("pipeline").isTextual()) {
                return Answer.silent("what answers there is not the console of a pipeline");
            }
            return new Answer(state, null, false);
        } catch (JacksonException e) {
            return Answer.silent("what answers there is not a Weir console");
        } catch (IOException e) {
            return Answer.silent(CliFailure.reason(e));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        http.shutdownNow();
    }
}

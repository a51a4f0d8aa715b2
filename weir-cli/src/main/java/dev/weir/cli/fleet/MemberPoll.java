package dev.weir.cli.fleet;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.cli.terminal.CliFailure;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Asks all members at once, each for a bounded answer in a bounded time. Confined to one thread. */
final class MemberPoll implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A state of ten thousand partitions takes some 3 MB. */
    private static final int MAX_BYTES = 4 * 1024 * 1024;

    /** Answers that are read at once. */
    private static final int MOST_AT_ONCE = 32;

    private final Duration patience;
    private final @Nullable String token;
    private final HttpClient http;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("weir-fleet-", 0).factory());
    private final Semaphore room = new Semaphore(MOST_AT_ONCE);

    /**
     * Creates one.
     *
     * @param patience for all members together
     * @param token that their consoles demand
     */
    MemberPoll(Duration patience, @Nullable String token) {
        this.patience = patience;
        this.token = token;
        this.http = HttpClient.newBuilder()
                .proxy(HttpClient.Builder.NO_PROXY)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(patience)
                .build();
    }

    /** The answers, in the order of the addresses. */
    List<MemberAnswer> ask(List<MemberAddress> addresses) throws InterruptedException {
        List<Callable<MemberAnswer>> questions = addresses.stream()
                .<Callable<MemberAnswer>>map(each -> () -> ask(each))
                .toList();
        List<Future<MemberAnswer>> futures = threads.invokeAll(questions, patience.toMillis(), TimeUnit.MILLISECONDS);
        List<MemberAnswer> answers = new ArrayList<>();
        for (int i = 0; i < futures.size(); i++) {
            answers.add(answer(futures.get(i), addresses.get(i)));
        }
        return answers;
    }

    private MemberAnswer answer(Future<MemberAnswer> future, MemberAddress address) throws InterruptedException {
        try {
            return future.get();
        } catch (CancellationException late) {
            return MemberAnswer.silent(address, noAnswerInTime());
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return MemberAnswer.silent(address, "unexpected " + cause);
        }
    }

    private String noAnswerInTime() {
        return "no answer within " + patience.toMillis() + " ms";
    }

    private MemberAnswer ask(MemberAddress address) throws InterruptedException {
        URI console = address.console();
        if (console == null) {
            return MemberAnswer.silent(address, address.whyNone() == null ? "" : address.whyNone());
        }
        room.acquire();
        try {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create(console + "/api/state")).timeout(patience);
            if (token != null) {
                request.header("Authorization", "Bearer " + token);
            }
            HttpResponse<InputStream> response = http.send(request.build(), BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                return read(address, response.statusCode(), body.readNBytes(MAX_BYTES + 1));
            }
        } catch (HttpTimeoutException e) {
            return MemberAnswer.silent(address, noAnswerInTime());
        } catch (ConnectException e) {
            return MemberAnswer.silent(
                    address,
                    "nobody listens there that this machine reaches: the process has ended, or its console is on loopback");
        } catch (IOException e) {
            return MemberAnswer.silent(address, CliFailure.reason(e));
        } finally {
            room.release();
        }
    }

    private static MemberAnswer read(MemberAddress address, int status, byte[] body) {
        if (status == 401) {
            return MemberAnswer.silent(address, "its console demands a token: name the file with --token-file");
        }
        if (body.length > MAX_BYTES) {
            return MemberAnswer.silent(address, "its answer has more than " + MAX_BYTES + " bytes");
        }
        try {
            JsonNode state = JSON.readTree(body);
            if (status != 200) {
                return MemberAnswer.silent(
                        address,
                        "refused with " + status + ": " + state.path("error").asText("no reason given"));
            }
            if (!state.isObject()
                    || !state.path("stages").isArray()
                    || !state.path("pipeline").isTextual()) {
                return MemberAnswer.silent(address, "what answers there is no console of a pipeline");
            }
            return new MemberAnswer(address, state, null);
        } catch (JacksonException e) {
            return MemberAnswer.silent(address, "what answers there is no Weir console");
        } catch (IOException e) {
            return MemberAnswer.silent(address, CliFailure.reason(e));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        http.shutdownNow();
    }
}

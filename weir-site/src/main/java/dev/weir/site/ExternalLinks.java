package dev.weir.site;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Asks other hosts whether links lead somewhere. Not part of an ordinary build, which needs no network. */
final class ExternalLinks {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private ExternalLinks() {}

    /** {@code links} has the places that name each address. */
    static void check(Map<String, Set<String>> links) throws InterruptedException {
        List<String> faults = new ArrayList<>();
        try (HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(PATIENCE)
                .build()) {
            for (Map.Entry<String, Set<String>> link : links.entrySet()) {
                if (link.getKey().startsWith("http")) {
                    String answer = answer(client, link.getKey());
                    if (!answer.isEmpty()) {
                        link.getValue().forEach(place -> faults.add(place + ": " + link.getKey() + ": " + answer));
                    }
                }
            }
        }
        if (!faults.isEmpty()) {
            throw new SiteException(faults);
        }
    }

    /** Returns the fault of a link, or nothing. */
    private static String answer(HttpClient client, String address) throws InterruptedException {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                    .timeout(PATIENCE)
                    .build();
            int status =
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status < 400 ? "" : "answers with " + status;
        } catch (IOException | IllegalArgumentException e) {
            return e.toString();
        }
    }
}

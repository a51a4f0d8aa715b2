package dev.weir.site;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Asked of a server on this machine. */
class ExternalLinksTest {

    @Test
    void deadAddress_isNamedWithItsPlaces() throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/there", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        String host = "http://localhost:" + server.getAddress().getPort();
        try {
            ExternalLinks.check(
                    Map.of(host + "/there", Set.of("docs/a.md:1"), "mailto:somebody@example.org", Set.of()));
            assertThatThrownBy(
                            () -> ExternalLinks.check(Map.of(host + "/absent", Set.of("docs/a.md:3", "docs/b.md:4"))))
                    .isInstanceOf(SiteException.class)
                    .hasMessageContaining("docs/a.md:3: " + host + "/absent: answers with 404")
                    .hasMessageContaining("docs/b.md:4");
        } finally {
            server.stop(0);
        }
    }
}

package dev.weir.site;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The list of the versions that lie beside each other, newest first, and the page that leads to the newest release. */
final class Versions {

    private Versions() {}

    static void write(Path folder) throws IOException {
        List<String> versions;
        try (Stream<Path> folders = Files.list(folder)) {
            versions = folders.filter(each -> Files.isRegularFile(each.resolve("index.html")))
                    .map(each -> Objects.requireNonNull(each.getFileName()).toString())
                    .filter(name -> Character.isDigit(name.charAt(0)))
                    .sorted(Comparator.comparing(Version::parse).reversed())
                    .toList();
        }
        Site.writeScript(
                folder.resolve("versions.js"), "weirVersions", new ObjectMapper().writeValueAsString(versions));
        String shown = versions.stream()
                .filter(version -> !version.endsWith("-SNAPSHOT"))
                .findFirst()
                .orElse(versions.get(0));
        Files.writeString(folder.resolve("index.html"), """
                <!doctype html>
                <html lang="en">
                <meta charset="utf-8">
                <title>Weir</title>
                <link rel="icon" href="%1$s/assets/icon.svg">
                <meta http-equiv="refresh" content="0; url=%1$s/index.html">
                <h1>Weir</h1>
                <p><a href="%1$s/index.html">Documents of %1$s</a></p>
                </html>
                """.formatted(shown));
    }
}

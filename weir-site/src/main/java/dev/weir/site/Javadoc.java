package dev.weir.site;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.commonmark.parser.Parser;

/**
 * The Javadoc of the published modules, as their jars have it: a folder for each in {@code api}, and a page that
 * lists them. Only the profile {@code release} makes those jars. Stateless.
 */
final class Javadoc {

    private static final String FOLDER = "api/";

    private static final Pattern DESCRIPTION =
            Pattern.compile("<description>\\s*(.*?)\\s*</description>", Pattern.DOTALL);

    private Javadoc() {}

    /**
     * Unpacks what the modules of the project have made; returns the page that lists it, or none if there is nothing.
     */
    static List<Page> unpack(Path project, String version, Path site) throws IOException {
        Map<String, String> modules = new TreeMap<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(project, "weir-*")) {
            for (Path folder : folders) {
                String module = String.valueOf(folder.getFileName());
                Path jar = folder.resolve("target/" + module + "-" + version + "-javadoc.jar");
                if (Files.isRegularFile(jar)) {
                    unpack(jar, site.resolve(FOLDER + module));
                    Matcher description = DESCRIPTION.matcher(Files.readString(folder.resolve("pom.xml")));
                    modules.put(
                            module, description.find() ? description.group(1).replaceAll("\\s+", " ") : "");
                }
            }
        }
        return modules.isEmpty() ? List.of() : List.of(list(modules));
    }

    private static void unpack(Path jar, Path folder) throws IOException {
        try (ZipInputStream entries = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                Path file = folder.resolve(entry.getName()).normalize();
                if (!entry.isDirectory() && file.startsWith(folder)) {
                    Files.createDirectories(Objects.requireNonNull(file.getParent()));
                    Files.write(file, entries.readAllBytes());
                }
            }
        }
    }

    private static Page list(Map<String, String> modules) {
        StringBuilder text = new StringBuilder(
                "# Javadoc\n\nOf the public packages of each module.\n\n| module | what |\n|---|---|\n");
        modules.forEach((module, description) -> text.append("| [")
                .append(module)
                .append("](")
                .append(module)
                .append("/index.html) | ")
                .append(description)
                .append(" |\n"));
        Path place = Path.of(FOLDER + "index.md");
        return new Page(
                place,
                FOLDER + "index.html",
                Parser.builder().extensions(PageReader.EXTENSIONS).build().parse(text.toString()),
                "Javadoc",
                List.of(),
                Map.of());
    }
}

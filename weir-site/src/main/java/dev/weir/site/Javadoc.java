package dev.weir.site;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

    /** In the POM of a module that is. */
    private static final String PUBLISHED = "<weir.unpublished>false</weir.unpublished>";

    private static final Pattern DESCRIPTION =
            Pattern.compile("<description>\\s*(.*?)\\s*</description>", Pattern.DOTALL);

    private Javadoc() {}

    /**
     * Unpacks what the modules of the project have made; returns the page that lists it, or none if there is nothing.
     *
     * @param all whether each published module must have made its own
     * @throws SiteException if one has not; nothing is unpacked then
     */
    static List<Page> unpack(Path project, String version, Path site, boolean all) throws IOException {
        Map<String, String> modules = new TreeMap<>();
        Map<String, Path> jars = new TreeMap<>();
        List<String> missing = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(project, "weir-*")) {
            for (Path folder : folders) {
                String module = String.valueOf(folder.getFileName());
                Path pom = folder.resolve("pom.xml");
                String text = Files.isRegularFile(pom) ? Files.readString(pom) : "";
                Path jar = folder.resolve("target/" + module + "-" + version + "-javadoc.jar");
                if (Files.isRegularFile(jar)) {
                    jars.put(module, jar);
                    Matcher description = DESCRIPTION.matcher(text);
                    modules.put(
                            module, description.find() ? description.group(1).replaceAll("\\s+", " ") : "");
                } else if (all && text.contains(PUBLISHED)) {
                    missing.add(module + ": has no Javadoc; a release's site takes a build of all modules");
                }
            }
        }
        if (!missing.isEmpty()) {
            throw new SiteException(missing);
        }
        for (Map.Entry<String, Path> each : jars.entrySet()) {
            unpack(each.getValue(), site.resolve(FOLDER + each.getKey()).normalize());
        }
        return modules.isEmpty() ? List.of() : List.of(list(modules));
    }

    private static void unpack(Path jar, Path folder) throws IOException {
        try (ZipInputStream entries = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                Path file = folder.resolve(entry.getName()).normalize();
                if (!file.startsWith(folder)) {
                    throw new SiteException(List.of(jar + ": " + entry + " leaves its folder"));
                }
                if (!entry.isDirectory()) {
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

package dev.weir.checks.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** A POM as written, without values inherited from its parent. Immutable. */
final class Pom {

    private final Path file;
    private final Element project;

    private Pom(Path file, Element project) {
        this.file = file;
        this.project = project;
    }

    static Pom of(Path file) {
        try (var in = Files.newInputStream(file)) {
            var builder = DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder();
            return new Pom(file, builder.parse(in).getDocumentElement());
        } catch (IOException | ParserConfigurationException | SAXException e) {
            throw new AssertionError("cannot read " + file, e);
        }
    }

    static Pom parent() {
        return of(Published.ROOT.resolve("pom.xml"));
    }

    static List<Pom> allOfTheBuild() {
        List<Pom> all = new ArrayList<>();
        parent().addWithModules(all);
        return all;
    }

    private void addWithModules(List<Pom> all) {
        all.add(this);
        for (Element module : all("modules", "module")) {
            of(file.resolveSibling(module.getTextContent()).resolve("pom.xml")).addWithModules(all);
        }
    }

    /** Returns the stripped text of the first element at the path, or an empty text. */
    String child(String... path) {
        List<Element> found = all(path);
        return found.isEmpty() ? "" : found.get(0).getTextContent().strip();
    }

    String attribute(String name, String... path) {
        List<Element> found = all(path);
        return found.isEmpty() ? "" : found.get(0).getAttribute(name);
    }

    /** Returns all elements at the path below the project. An empty path means the project. */
    List<Element> all(String... path) {
        List<Element> found = List.of(project);
        for (String name : path) {
            found = found.stream()
                    .flatMap(element -> children(element, name).stream())
                    .toList();
        }
        return found;
    }

    static List<Element> children(Element of, String name) {
        List<Element> children = new ArrayList<>();
        for (Node node = of.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                children.add(element);
            }
        }
        return children;
    }

    static String text(Element of, String name) {
        List<Element> children = children(of, name);
        return children.isEmpty() ? "" : children.get(0).getTextContent().strip();
    }

    @Override
    public String toString() {
        return Published.ROOT.relativize(file).toString();
    }
}

// One handshake as Go's SDK has it: client <file to trust or none> <port> <name>, which is looked for in the certificate, port and all.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

func main() {
	trusted := x509.NewCertPool()
	if pem, err := os.ReadFile(os.Args[1]); err == nil {
		trusted.AppendCertsFromPEM(pem)
	}
	config := &tls.Config{RootCAs: trusted, ServerName: os.Args[3]}
	connection, err := tls.Dial("tcp", "127.0.0.1:"+os.Args[2], config)
	if err != nil {
		fmt.Println(err)
		return
	}
	connection.Close()
	fmt.Println("ok")
}
